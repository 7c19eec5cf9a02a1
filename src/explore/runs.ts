import type { SandboxFetch } from "../control-client.js";
import { isRecord, valueDocument } from "../files/documents.js";
import { type LoadedScenario, loadScenarioFile } from "../scenario/files.js";
import { Client } from "../scenario/running/client.js";
import type { RunReport } from "../scenario/running/report.js";
import { runScenario } from "../scenario/running/run.js";
import { systemWall, type Wall } from "../time/wall.js";
import type { Compiled } from "./compile.js";
import type { Flow } from "./flow.js";
import { markNow, type Seen, seenSince } from "./seen.js";

export interface RunsOptions {
  readonly fetch: SandboxFetch;
  readonly namespace?: string | undefined;
  readonly controlToken?: string | undefined;
  /** The base URL of the app, without a slash at the end. */
  readonly app: string;
  readonly vars?: Readonly<Record<string, string>> | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** An id that no run has had. */
  readonly runIdOf: (name: string) => string;
  readonly signal?: AbortSignal | undefined;
  readonly wall?: Wall | undefined;
}

/** What a run came to, and what the sandbox saw of it. */
export interface Carried {
  readonly report: RunReport;
  readonly loaded: LoadedScenario;
  readonly seen: Seen;
}

/** Carries out runs of a flow, one after the other, each as a new customer of the same app. */
export class Runs {
  readonly #flow: Flow;
  readonly #options: RunsOptions;
  readonly #client: Client;

  constructor(flow: Flow, options: RunsOptions) {
    this.#flow = flow;
    this.#options = options;
    const { fetch, namespace, controlToken, wall = systemWall } = options;
    this.#client = new Client({ fetch, namespace, controlToken }, wall);
  }

  async carryOut({ document }: Pick<Compiled, "document">): Promise<Carried> {
    const { vars = {}, environment = {}, runIdOf, ...running } = this.#options;
    const needed = isRecord(document.vars) ? Object.keys(document.vars) : [];
    const loaded = await loadScenarioFile(
      // Files it includes are meant from where the flow lies.
      { ...valueDocument(document), file: this.#flow.file },
      { given: only(vars, needed), environment, runIdOf },
    );
    const mark = await markNow(this.#client);
    const report = await runScenario(loaded, { ...running });
    return { report, loaded, seen: await seenSince(this.#client, mark) };
  }
}

function only(vars: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => names.includes(name)));
}
