import { type Refusal, refuse } from "../schema/errors.js";

/** A test that failed, and what had happened in its namespace by then. */
export interface FailedTest {
  readonly failed_test_id: number;
  readonly test: string;
  readonly namespace: string;
  /** Sandbox time. */
  readonly at: string;
  /** What happened, for people. */
  readonly text: string;
}

/** Who breaks everything needs no hundredth story. */
const MOST = 100;
const MOST_CHARS = 64 * 1024 * 1024;

/** The tests that failed, of all namespaces: they outlive a reset, and the namespace. Bounded; the first are kept. */
export class FailedTests {
  readonly #kept = new Map<number, { readonly test: FailedTest; readonly json: string }>();
  #chars = 0;
  #count = 0;

  /** @param happened what is kept besides, for programs */
  keep(test: Omit<FailedTest, "failed_test_id">, happened: object): FailedTest {
    const numbered = { failed_test_id: ++this.#count, ...test };
    const json = JSON.stringify({ ...numbered, ...happened });
    if (this.#kept.size < MOST && this.#chars + json.length <= MOST_CHARS) {
      this.#kept.set(numbered.failed_test_id, { test: numbered, json });
      this.#chars += json.length;
    }
    return numbered;
  }

  /** Newest first. */
  list(): FailedTest[] {
    return [...this.#kept.values()].map(({ test }) => test).reverse();
  }

  /** With all that happened, as JSON. */
  json(id: number): string | Refusal {
    return this.#kept.get(id)?.json ?? refuse("NOT_FOUND", "Failed test not found");
  }

  /** Those that there was no room for. */
  get leftOut(): number {
    return this.#count - this.#kept.size;
  }
}
