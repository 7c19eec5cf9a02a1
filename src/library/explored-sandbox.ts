import type { SandboxFetch } from "../core/client/control-client.js";
import {
  addFault,
  removeFaults,
  removeScenario,
  storeScenario,
} from "../core/engine/commands/scenario-commands.js";
import type { Namespace } from "../core/namespace/namespace.js";
import type { RequestEntry } from "../core/namespace/request-journal.js";
import { isRefusal, type Refusal, SandboxError } from "../core/schema/refusals.js";
import type { FaultRule, Scenario } from "../core/schema/scenario-rules.js";
import { loadLazily } from "../core/time/load-lazily.js";
import type { LocalSandbox, RunRules } from "../tools/explore/functions/local-sandbox.js";

const RULES_NAME = "explore";
/** Longest hold of a response. The run ends it before. */
const HOLD = "1h";

/** A namespace of this process for `explore`, which knows neither engine nor namespace. */
export class ExploredSandbox implements LocalSandbox {
  readonly fetch: SandboxFetch;
  readonly runIdOf: LocalSandbox["runIdOf"];
  readonly rowsSince: LocalSandbox["rowsSince"];
  readonly #namespace: Namespace;
  readonly #held = new Set<RequestEntry>();
  readonly #stops: (() => void)[];
  /** Ends each hold that `hold` began. */
  readonly #releases = new Set<() => boolean>();
  #rules: Scenario = { name: RULES_NAME };
  #count = 0;

  constructor(namespace: Namespace, fetch: SandboxFetch) {
    this.#namespace = namespace;
    this.fetch = fetch;
    this.runIdOf = (name) => namespace.nextRunId(name);
    this.rowsSince = async (list, last) => {
      const { newerRecords } = await loadLazily(() => import("../server/control/newer-records.js"));
      return newerRecords(namespace, list, last);
    };
    const { events } = namespace;
    this.#stops = [
      events.on("arrived", (call) => this.#held.add(call)),
      events.on("answered", (call) => this.#held.delete(call)),
    ];
  }

  nowMs(): number {
    return this.#namespace.nowMs();
  }

  nextTaskMs(): number {
    return this.#namespace.engine.state.tasks.peek()?.due_ms ?? Infinity;
  }

  isAdvancing(): boolean {
    return this.#namespace.clock.isAdvancing;
  }

  async advanceTo(toMs: number): Promise<void> {
    requireSuccess(await this.#namespace.clock.advance({ toMs }));
  }

  useRules(rules: RunRules): void {
    // A description of its own: an identical scenario would keep the counts of the last run.
    const description = `run ${++this.#count}`;
    this.#rules = { name: RULES_NAME, description, ...rules } as Scenario;
    this.#store();
    this.#namespace.faults.clearCounts();
  }

  #store(): void {
    requireSuccess(this.#namespace.execute(storeScenario(this.#rules, { active: true, byHand: false })));
  }

  hold(match: FaultRule["match"]): () => boolean {
    const rule: FaultRule = { match, hold: HOLD, times: 1, per: "request" };
    const { fault_id } = requireSuccess(this.#namespace.execute(addFault(rule)));
    const release = (): boolean => {
      if (!this.#releases.delete(release)) return false;
      this.#namespace.execute(removeFaults(fault_id));
      return true;
    };
    this.#releases.add(release);
    return release;
  }

  /** An identical scenario keeps its counts, and its holds end as it is stored. */
  releaseHeld(): void {
    for (const release of this.#releases) release();
    this.#store();
  }

  hasHeldCall(): boolean {
    return this.#held.size > 0;
  }

  onActivity(note: () => void): () => void {
    const { events } = this.#namespace;
    const stops = (["arrived", "answered", "stored"] as const).map((name) => events.on(name, note));
    return () => {
      for (const stop of stops) stop();
    };
  }

  close(): void {
    for (const stop of this.#stops) stop();
    if (this.#namespace.isClosed) return;
    for (const release of this.#releases) release();
    if (this.#count > 0) this.#namespace.execute(removeScenario(RULES_NAME));
  }
}

function requireSuccess<Result extends object>(result: Result | Refusal): Result {
  if (isRefusal(result)) throw new SandboxError(result);
  return result;
}
