import { handlerErrorResponse, type WebhookHandler } from "./in-process-receivers.js";

/**
 * Collects failed assertions of in-process webhook handlers. The handler responds 500 as for any error; the test's
 * next wait rethrows the assertion.
 */
export class AssertionCollector {
  #errors: unknown[] = [];

  /** Wraps a handler so that its failed assertions are collected. */
  wrap(handler: WebhookHandler): WebhookHandler {
    return async (request) => {
      try {
        return await handler(request);
      } catch (error) {
        if (!isAssertion(error)) throw error;
        this.#errors.push(error);
        return handlerErrorResponse(error);
      }
    };
  }

  /** Throws the first collected assertion and drops the rest, which may follow from it. */
  rethrow(): void {
    const first = this.first;
    this.#errors = [];
    if (first !== undefined) throw first;
  }

  /** First assertion not rethrown yet. */
  get first(): unknown {
    return this.#errors[0];
  }
}

/** Recognizes assertion errors of node:assert, Chai (Vitest) and Jest. */
function isAssertion(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, code, matcherResult } = error as Record<string, unknown>;
  return code === "ERR_ASSERTION" || matcherResult !== undefined || /^Assertion(Error|$)/.test(String(name));
}
