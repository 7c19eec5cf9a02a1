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
    const first = this.first;
    this.#kept = [];
    if (first !== undefined) throw first;
  }

  /** The first that nobody has been thrown yet. */
  get first(): unknown {
    return this.#kept[0];
  }
}

/** Those of `node:assert`, Chai, which Vitest has, and Jest, each of which has another mark. */
function isAssertion(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, code, matcherResult } = error as Record<string, unknown>;
  return code === "ERR_ASSERTION" || matcherResult !== undefined || /^Assertion(Error|$)/.test(String(name));
}
