import { pagesOf } from "../../control-client.js";
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
  #before: Counts = {};
  #now: Counts = {};

  constructor(client: Client) {
    this.#client = client;
  }

  /** The file's rules are in place under that name, and count from here. */
  begin(scenario: string | undefined): void {
    this.#scenario = scenario;
    this.#before = this.counts;
    this.#now = {};
    this.#faults.clear();
  }

  watch(faultId: string, title: string): void {
    this.#faults.set(faultId, title);
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
}

function summed(one: Counts, other: Counts): Counts {
  const sums: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** What was to be applied and never was. */
export function neverHappened(applied: Counts): string[] {
  return Object.keys(applied).filter((name) => applied[name] === 0);
}
