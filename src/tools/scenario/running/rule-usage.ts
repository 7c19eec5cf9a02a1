import type { SourceLine } from "../step-reference.js";
import type { Client } from "./client.js";
import { readAllPages } from "./control-lists.js";

type Counts = Readonly<Record<string, number>>;

interface FaultRecord {
  readonly fault_id: string;
  readonly applied: number;
}

/** Counts, for one run, the uses of the file's rules and of the faults set by steps. */
export class RuleUsage {
  readonly #client: Client;
  /** Name of the file's rules in the sandbox; undefined without rules. */
  #scenario: string | undefined;
  /** The step that set a fault, by its text, and how often the fault has applied. */
  readonly #faults = new Map<string, { readonly text: string; applied: number }>();
  /** Rule, or text of a step that set a fault → its line. */
  readonly #places: Map<string, SourceLine>;
  #before: Counts = {};
  #now: Counts = {};

  constructor(client: Client, rules: ReadonlyMap<string, SourceLine>) {
    this.#client = client;
    this.#places = new Map(rules);
  }

  begin(scenario: string | undefined): void {
    this.#scenario = scenario;
    this.#before = this.counts;
    this.#now = {};
    this.#faults.clear();
  }

  watchFault(faultId: string, text: string, place: SourceLine): void {
    this.#faults.set(faultId, { text, applied: 0 });
    this.#places.set(text, place);
  }

  /** Reads the counts; called at the end of the run, and before a counted rule is removed. */
  async readCounts(): Promise<void> {
    // Keeps the counts of rules and faults that a step has since removed.
    const now: Record<string, number> = { ...this.#now };
    if (this.#scenario !== undefined) {
      const { status, body } = await this.#client.control("getScenario", { name: this.#scenario });
      if (status === 200) Object.assign(now, (body as { applied: Counts }).applied);
    }
    if (this.#faults.size > 0)
      for (const { fault_id, applied } of await readAllPages<FaultRecord>(this.#client, "listFaults")) {
        const fault = this.#faults.get(fault_id);
        if (fault !== undefined) fault.applied = applied;
      }
    for (const { text } of this.#faults.values()) now[text] = 0;
    // A repeated step sets several faults.
    for (const { text, applied } of this.#faults.values()) now[text]! += applied;
    this.#now = now;
  }

  get counts(): Counts {
    return summed(this.#before, this.#now);
  }

  listUnusedRules(runFile: string) {
    const { counts } = this;
    const never_happened = Object.keys(counts).filter((name) => counts[name] === 0);
    const never_happened_at = never_happened.map((rule) => {
      // Rules that a step added have no line.
      const { file, line } = this.#places.get(rule) ?? { file: runFile, line: 1 };
      return { rule, line, ...(file === runFile ? {} : { file }) };
    });
    return { never_happened, never_happened_at };
  }
}

function summed(one: Counts, other: Counts): Counts {
  const sums: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
