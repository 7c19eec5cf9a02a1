import type { SandboxFetch } from "../core/client/control-client.js";
import type { WebhookReport } from "../core/schema/receiver-report.js";
import { trimTrailingSlashes } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import { loadLazily } from "../core/time/load-lazily.js";
import type { CheckWebhookOptions } from "../tools/doctor/check-options.js";
import type { ExploreReport } from "../tools/explore/exploration.js";
import type { ExploreFlow } from "../tools/explore/functions/flow.js";
import type { LocalSandbox } from "../tools/explore/functions/local-sandbox.js";
import type { RunReport } from "../tools/scenario/running/run-report.js";
import {
  checkArgument,
  checkFileArguments,
  type ExploreFlowOptions,
  type ExploreOptions,
  exploreFunctionOptionsSchema,
  exploreOptionsSchema,
  type RunFileOptions,
  runOptionsSchema,
} from "./library-options.js";

/** Key of a sandbox's tools, which are no member for users. */
export const TOOLS = Symbol("payments-sandbox.tools");

/** Sandbox of this process or namespace of a server that the tools work on. */
export interface ToolsTarget {
  readonly fetch: SandboxFetch;
  readonly runIdOf: (name: string) => string;
  /** The sandbox of this process for flows that are objects; undefined on a server. */
  readonly local?: (() => LocalSandbox) | undefined;
  readonly webhookDefaults: Pick<CheckWebhookOptions, "secret" | "signature" | "timeout">;
}

/** Methods of `Sandbox` and `TestSandbox` that work with files or with the user's app. */
export class SandboxTools {
  readonly #target: ToolsTarget;

  constructor(target: ToolsTarget) {
    this.#target = target;
  }

  async runFile(path: string, options: RunFileOptions = {}): Promise<RunReport> {
    checkFileArguments("runFile", runOptionsSchema, path, options);
    const { readScenarioFile } = await loadLazily(() => import("../tools/scenario/files.js"));
    const { runFile } = await loadLazily(() => import("../tools/explore/run-file.js"));
    const { fetch, runIdOf } = this.#target;
    const { vars = {}, environment = process.env, app, ...rest } = options;
    const loaded = await readScenarioFile(path, { vars, environment, runIdOf });
    const run = { ...rest, app: app && trimTrailingSlashes(app), fetch };
    return runFile(loaded, { environment, runIdOf }, run);
  }

  /** @param frames stack of the call, for the error that is thrown unless the exploration passed */
  async explore(
    flow: string | ExploreFlow,
    options: ExploreFlowOptions | ExploreOptions = {},
    frames = "",
  ): Promise<ExploreReport> {
    const { throws = true, ...rest } = options;
    const report =
      typeof flow === "string"
        ? await this.#exploreFile(flow, options as ExploreFlowOptions, rest as ExploreFlowOptions)
        : await this.#exploreFunction(flow, options, rest);
    if (!throws || report.passed) return report;
    const { ExploreError } = await loadLazily(() => import("../tools/explore/explore-error.js"));
    throw new ExploreError(report, frames);
  }

  async #exploreFile(
    flow: string,
    given: ExploreFlowOptions,
    options: ExploreFlowOptions,
  ): Promise<ExploreReport> {
    checkFileArguments("explore", exploreOptionsSchema, flow, given);
    const { exploreWithDefaults } = await loadLazily(() => import("../tools/explore/file.js"));
    const { fetch, runIdOf } = this.#target;
    return exploreWithDefaults(flow, options, { fetch, runIdOf });
  }

  async #exploreFunction(
    flow: ExploreFlow,
    given: ExploreOptions,
    options: ExploreOptions,
  ): Promise<ExploreReport> {
    checkArgument("explore", exploreFunctionOptionsSchema, given);
    const { local } = this.#target;
    if (local === undefined)
      throw new UserError(
        "explore: a flow that is an object needs a sandbox in this process: unset PAYMENTS_SANDBOX_URL, or pass { server: false } to setupSandbox",
      );
    const { exploreFunction } = await loadLazily(
      () => import("../tools/explore/functions/explore-function.js"),
    );
    return exploreFunction(flow, options, local);
  }

  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    const { checkWebhook } = await loadLazily(() => import("../tools/doctor/check.js"));
    const { readCheckOptions } = await loadLazily(() => import("../tools/doctor/check-options.js"));
    const { webhookDefaults } = this.#target;
    const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return checkWebhook(
      readCheckOptions(url, { ...webhookDefaults, ...set }, (option) => `checkWebhook: ${option}`),
    );
  }
}
