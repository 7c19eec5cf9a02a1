import { pagesOf } from "../../../control-client.js";
import type { Place } from "../place.js";
import type { Client } from "./client.js";

type Counts = Readonly<Record<string, number>>;

interface SetFault {
  readonly fault_id: string;
  readonly applied: number;
}

/** How often the file's rules, and the faults its steps set, have been applied in this run. */
export class Applied {
  readonly #client: Client;
  /** What the sandbox calls the file's rules now; undefined when there are none. */
  #scenario: string | undefined;
  /** Fault → the title of the step that set it. */
  readonly #faults = new Map<string, string>();
  /** Rule, or title of a step that set a fault → where it stands. */
  readonly #places: Map<string, Place>;
  #before: Counts = {};
  #now: Counts = {};

  constructor(client: Client, rules: ReadonlyMap<string, Place>) {
    this.#client = client;
    this.#places = new Map(rules);
  }

  /** The file's rules are in place under that name, and count from here. */
  begin(scenario: string | undefined): void {
    this.#scenario = scenario;
    this.#before = this.counts;
    this.#now = {};
    this.#faults.clear();
  }

  watch(faultId: string, title: string, place: Place): void {
    this.#faults.set(faultId, title);
    this.#places.set(title, place);
  }

  /** Looks how it stands: at the end, and before something that is counted goes. */
  async note(): Promise<void> {
    // What is gone meanwhile, a step has taken away: it stands as it was.
    const now: Record<string, number> = { ...this.#now };
    if (this.#scenario !== undefined) {
      const path = `/scenarios/${encodeURIComponent(this.#scenario)}`;
      const { status, body } = await this.#client.control("GET", path);
      if (status === 200) Object.assign(now, (body as { applied: Counts }).applied);
    }
    if (this.#faults.size > 0)
      for await (const page of pagesOf<SetFault>("/faults", (path) => this.#client.must("GET", path)))
        for (const { fault_id, applied } of page) {
          const title = this.#faults.get(fault_id);
          if (title !== undefined) now[title] = applied;
        }
    this.#now = now;
  }

  get counts(): Counts {
    return summed(this.#before, this.#now);
  }

  /** What was to be applied and never was, and where it stands. */
  neverHappened(runFile: string) {
    const { counts } = this;
    const never_happened = Object.keys(counts).filter((name) => counts[name] === 0);
    const never_happened_at = never_happened.map((rule) => {
      // Of rules that a step has put in their place there is no line.
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
