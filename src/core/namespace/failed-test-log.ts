import type { FailedTest } from "../schema/control-responses.js";
import { type Refusal, refuse } from "../schema/refusals.js";

const TESTS_MAX = 100;
const CHARS_MAX = 64 * 1024 * 1024;

/** Keeps failed tests after the namespace is reset or deleted. A full log saves no further tests, but counts them. */
export class FailedTestLog {
  readonly #saved = new Map<number, { readonly test: FailedTest; readonly json: string }>();
  #chars = 0;
  #count = 0;

  /** @param details fields of the export that `test` does not have */
  save(test: Omit<FailedTest, "failed_test_id">, details: object): FailedTest {
    const failedTest = { failed_test_id: ++this.#count, ...test };
    const json = JSON.stringify({ ...failedTest, ...details });
    if (this.#saved.size < TESTS_MAX && this.#chars + json.length <= CHARS_MAX) {
      this.#saved.set(failedTest.failed_test_id, { test: failedTest, json });
      this.#chars += json.length;
    }
    return failedTest;
  }

  /** Newest first. */
  list(): FailedTest[] {
    return [...this.#saved.values()].map(({ test }) => test).reverse();
  }

  json(id: number): string | Refusal {
    return this.#saved.get(id)?.json ?? refuse("NOT_FOUND", "Failed test not found");
  }

  get omittedCount(): number {
    return this.#count - this.#saved.size;
  }
}
