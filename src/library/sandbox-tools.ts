import { ControlClient, type SandboxFetch } from "../core/client/control-client.js";
import type { WebhookReport } from "../core/schema/receiver-report.js";
import { trimTrailingSlashes } from "../core/schema/text-format.js";
import { loadLazily } from "../core/time/load-lazily.js";
import type { CheckWebhookOptions } from "../tools/doctor/check-options.js";
import type { ExploreReport } from "../tools/explore/exploration.js";
import type { RunReport } from "../tools/scenario/running/run-report.js";
import {
  checkFileArguments,
  type ExploreFlowOptions,
  exploreOptionsSchema,
  type RunFileOptions,
  runOptionsSchema,
} from "./library-options.js";

/** Sandbox of this process or namespace of a server that the tools work on. */
export interface ToolsTarget {
  readonly fetch: SandboxFetch;
  /** Returns the ID of the next run of a file. */
  readonly runIdOf: (name: string) => string;
  /** Options of `checkWebhook` that the caller leaves out. */
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
    const { runScenario } = await loadLazily(() => import("../tools/scenario/running/run-scenario.js"));
    const { fetch, runIdOf } = this.#target;
    const { vars = {}, environment = process.env, app, ...rest } = options;
    const loaded = await readScenarioFile(path, { vars, environment, runIdOf });
    return runScenario(loaded, { ...rest, app: app && trimTrailingSlashes(app), fetch });
  }

  async explore(flow: string, options: ExploreFlowOptions): Promise<ExploreReport> {
    checkFileArguments("explore", exploreOptionsSchema, flow, options);
    const { exploreWithDefaults } = await loadLazily(() => import("../tools/explore/file.js"));
    const { fetch, runIdOf } = this.#target;
    return exploreWithDefaults(flow, options, { fetch, runIdOf });
  }

  async checkWebhook(url: string, options: CheckWebhookOptions = {}): Promise<WebhookReport> {
    const { checkWebhook } = await loadLazily(() => import("../tools/doctor/check.js"));
    const { readCheckOptions } = await loadLazily(() => import("../tools/doctor/check-options.js"));
    const { fetch, webhookDefaults } = this.#target;
    const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return checkWebhook(
      readCheckOptions(
        url,
        { ...webhookDefaults, ...set },
        (option) => `checkWebhook: ${option}`,
        new ControlClient({ fetch }),
      ),
    );
  }
}
