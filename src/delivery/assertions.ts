import { failedAnswer, type WebhookHandler } from "./in-process.js";

/**
 * The assertions of a test that failed in its webhook handlers. Their answer is 500, as that of any error; who has
 * written them hears of it where the test waits next.
 */
export class KeptAssertions {
  #kept: unknown[] = [];

  /** The same handler, but that its failed assertions are kept. */
  of(handler: WebhookHandler): WebhookHandler {
    return async (request) => {
      try {
        return await handler(request);
      } catch (error) {
        if (!isAssertion(error)) throw error;
        this.#kept.push(error);
        return failedAnswer(error);
      }
    };
  }

  /** Throws the first that is kept; those after it may follow from it, and go with it. */
  rethrow(): void {
    const [first] = this.#kept;
    const failed = this.#kept.length > 0;
    this.#kept = [];
    if (failed) throw first;
  }
}

/** Those of `node:assert`, Chai, which Vitest has, and Jest, each of which has another mark. */
function isAssertion(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, code, matcherResult } = error as Record<string, unknown>;
  return code === "ERR_ASSERTION" || matcherResult !== undefined || /^Assertion(Error|$)/.test(String(name));
}
