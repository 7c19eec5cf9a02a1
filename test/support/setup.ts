import { channel } from "node:diagnostics_channel";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import type { Change, EventRecord } from "../../src/core/engine/records.js";
import type { ServedRequest } from "../../src/core/namespace/request-journal.js";
import { issueDetails, safeParse } from "../../src/core/schema/issues.js";
import { RECORD_SCHEMAS } from "../../src/core/schema/records/collections.js";
import { beginTest, endFile, endTest } from "./lifetime.js";

// For every test file, in the worker it shares with others: what a test opened is closed, and every answer of the
// service in the whole suite is held against the OpenAPI document.

const served = channel("payments-sandbox:request");
let loading: Promise<typeof import("./openapi-answers.js")> | undefined;
let heard: ServedRequest[] = [];

/** A response that a fault forced is the user's own and can be anything. */
function hear(message: unknown): void {
  const request = message as ServedRequest;
  if (request.operation === null || request.status === null || request.fault !== null) return;
  // The document is loaded with the first response: test files without one do not pay for it.
  loading ??= import("./openapi-answers.js");
  heard.push({ ...request });
}

/** Throws with all undocumented responses since the last test. */
async function checkAnswers(): Promise<void> {
  if (heard.length === 0) return;
  const { answerFaults } = await loading!;
  const answers = heard;
  heard = [];
  const faults = answers.flatMap(({ operation, status, responseBody }) => {
    const found = answerFaults(
      operation!,
      status!,
      responseBody === null ? undefined : JSON.parse(responseBody),
    );
    return found.map((fault) => `not as documented: ${fault}\n${responseBody}`);
  });
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

const commits = channel("payments-sandbox:commit");
let recordFaults: string[] = [];

/** A record that its schema refuses could be committed, and would keep the data file from being opened again. */
function checkRecords(message: unknown): void {
  for (const [collection, key, record] of (message as Change).puts) {
    if (record === null) continue;
    const checked = safeParse(RECORD_SCHEMAS[collection], plainRecord(collection, record as object));
    if (!checked.ok && recordFaults.length < 10)
      recordFaults.push(`${collection} ${key}: ${JSON.stringify(issueDetails(checked.issues))}`);
  }
}

/** An event is not asked for its body: serializing it is put off, and the journal leaves it out. */
function plainRecord(collection: string, record: object): unknown {
  if (collection !== "events") return JSON.parse(JSON.stringify(record));
  const { event_id, seq, type, at, mode, organization_id, object_id } = record as EventRecord;
  return { event_id, seq, type, at, mode, organization_id, object_id, body: '{"data":{}}' };
}

function checkCommits(): void {
  const faults = recordFaults;
  recordFaults = [];
  if (faults.length > 0) throw new Error(`records that their schemas refuse:\n${faults.join("\n")}`);
}

served.subscribe(hear);
commits.subscribe(checkRecords);
beforeEach(beginTest);
// Hooks after a test run in the reverse order: responses during close are checked too.
afterEach(checkAnswers);
afterEach(checkCommits);
afterEach(endTest);
afterAll(async () => {
  await endFile();
  // The next file finds the process as this one did.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  served.unsubscribe(hear);
  commits.unsubscribe(checkRecords);
  await checkAnswers();
});
