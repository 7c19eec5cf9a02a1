import { afterEach } from "vitest";
import type { ServedRequest } from "../../src/namespace/request-journal.js";
import { RequestJournal } from "../../src/namespace/request-journal.js";

/**
 * Holds every answer of the service in the whole suite against the OpenAPI document. The journal hears of each
 * answer, whether it goes over a socket or not, so that is where the suite listens; nothing in src knows of it.
 * An answer that a fault forced is the user's own and may be anything. The document is loaded with the first
 * answer: test files without one do not pay for it.
 */
type Check = typeof import("./openapi-answers.js").checkAnswer;

let loading: Promise<void> | undefined;
let check: Check | undefined;
let early: ServedRequest[] = [];
const faults: unknown[] = [];

const add = RequestJournal.prototype.add;
RequestJournal.prototype.add = function (this: RequestJournal, request: ServedRequest, arrivedMs: number) {
  if (request.operation !== null && request.status !== null && request.fault === null) {
    loading ??= import("./openapi-answers.js").then((module) => {
      check = module.checkAnswer;
    });
    if (check === undefined) early.push(request);
    else inspect(check, request);
  }
  add.call(this, request, arrivedMs);
} as typeof add;

function inspect(checkAnswer: Check, { operation, status, responseBody }: ServedRequest): void {
  try {
    checkAnswer(operation!, status!, responseBody === null ? undefined : JSON.parse(responseBody));
  } catch (fault) {
    faults.push(fault);
  }
}

afterEach(async () => {
  await loading;
  if (check !== undefined) for (const request of early) inspect(check, request);
  early = [];
  const found = faults.splice(0);
  if (found.length > 0) throw new AggregateError(found, String(found[0]));
});
