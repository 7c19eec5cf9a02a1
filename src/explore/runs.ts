import type { SandboxFetch } from "../control-client.js";
import { RULE_KINDS } from "../domain/scenario.js";
import { isRecord, valueDocument } from "../files/documents.js";
import { type LoadedScenario, loadedWith, loadScenarioFile } from "../scenario/files.js";
import { Client } from "../scenario/running/client.js";
import { type RunOutcome, Session } from "../scenario/running/session.js";
import { everyStep } from "../scenario/step-places.js";
import { systemWall, type Wall } from "../time/wall.js";
import type { Compiled } from "./compile.js";
import type { Flow } from "./flow.js";
import { type Mark, markNow, rowsSince, type Seen, seenOf } from "./seen.js";

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
  readonly report: RunOutcome;
  readonly loaded: LoadedScenario;
  readonly seen: Seen;
}

/** Carries out runs of a flow, one after the other, each as a new customer of the same app. */
export class Runs {
  readonly #flow: Flow;
  readonly #options: RunsOptions;
  readonly #client: Client;
  readonly #session: Session;
  /** Files that have been checked, by all of them but the rules. */
  readonly #checked = new Map<string, LoadedScenario>();
  /** How far the sandbox's lists went when the last run was over. */
  #mark: Mark;

  private constructor(flow: Flow, options: RunsOptions, client: Client, session: Session, mark: Mark) {
    this.#flow = flow;
    this.#options = options;
    this.#client = client;
    this.#session = session;
    this.#mark = mark;
  }

  /** Takes the namespace until it is closed. */
  static async open(flow: Flow, options: RunsOptions): Promise<Runs> {
    const { fetch, namespace, controlToken, app, runIdOf, signal, wall = systemWall } = options;
    const name = `explore-${runIdOf(String(flow.raw.name))}`;
    const session = await Session.open({ fetch, namespace, controlToken, app, signal, wall, name });
    const client = new Client({ fetch, namespace, controlToken }, wall);
    return new Runs(flow, options, client, session, await markNow(client));
  }

  close(): Promise<string[]> {
    return this.#session.close();
  }

  /** @param customerOf whose run it is, by its id, where that is known */
  async carryOut(run: Compiled, customerOf: CustomerOf = () => undefined): Promise<Carried> {
    const [carried] = await this.carryOutTogether([run], customerOf);
    return carried!;
  }

  /** Side by side: each is the run of a customer of its own, and time is one for all. */
  async carryOutTogether(runs: readonly Compiled[], customerOf: CustomerOf): Promise<Carried[]> {
    const all = await Promise.all(runs.map(({ document }) => this.#loaded(document)));
    const [{ roles }] = runs as [Compiled];
    const reports = await this.#session.runTogether(all, (index) => roles[index] === "tail");
    const { rows, mark } = await rowsSince(this.#client, this.#mark, all.length);
    this.#mark = mark;
    return all.map((loaded, index) => ({
      report: reports[index]!,
      loaded,
      seen: seenOf(rows, customerOf(loaded.runId)),
    }));
  }

  /** Most runs differ in their rules alone: the steps are checked once for all of them. */
  async #loaded(document: Compiled["document"]): Promise<LoadedScenario> {
    const { vars = {}, environment = {}, runIdOf } = this.#options;
    const needed = isRecord(document.vars) ? Object.keys(document.vars) : [];
    const givens = { given: only(vars, needed), environment, runIdOf };
    const alike = JSON.stringify(Object.entries(document).filter(([word]) => !OF_ONE_RUN.has(word)));
    const known = this.#checked.get(alike);
    if (known !== undefined) return loadedWith(known, document, givens);
    // Files it includes are meant from where the flow lies.
    const loaded = await loadScenarioFile({ ...valueDocument(document), file: this.#flow.file }, givens);
    if (document.include === undefined && !everyStep(loaded.steps).some(({ kind }) => kind === "include"))
      this.#checked.set(alike, loaded);
    return loaded;
  }
}

/** What differs from run to run. */
const OF_ONE_RUN: ReadonlySet<string> = new Set(["name", ...RULE_KINDS]);

type CustomerOf = (runId: string) => string | undefined;

function only(vars: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => names.includes(name)));
}
