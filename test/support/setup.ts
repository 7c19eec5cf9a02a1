import { channel } from "node:diagnostics_channel";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import type { Change, EventRecord } from "../../src/core/engine/records.js";
import type { ServedRequest } from "../../src/core/namespace/request-journal.js";
import { issueDetails, safeParse } from "../../src/core/schema/issues.js";
import { RECORD_SCHEMAS } from "../../src/core/schema/records/collections.js";
import { documented, IS_REPAIRED } from "./documented.js";
import { beginTest, endFile, endTest } from "./lifetime.js";

// Runs for every test file: closes what tests open and checks responses.

const served = channel("payments-sandbox:request");
let loading: Promise<typeof import("./openapi-answers.js")> | undefined;
let heard: ServedRequest[] = [];

/** Ignores responses that a fault forced, and those of a database that is away, which the service never gives. */
function hear(message: unknown): void {
  const request = message as ServedRequest;
  const { operation, status, fault, errorCode } = request;
  if (
    !documented.isChecked ||
    operation === null ||
    status === null ||
    fault !== null ||
    errorCode === "STORAGE_AWAY"
  )
    return;
  // Other test files need not load the document.
  loading ??= import("./openapi-answers.js");
  heard.push({ ...request });
}

/** Throws with all undocumented responses since the previous test. */
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

/** Checks committed records by their schemas. */
function checkRecords(message: unknown): void {
  for (const [collection, key, record] of (message as Change).puts) {
    if (record === null) continue;
    const checked = safeParse(RECORD_SCHEMAS[collection], plainRecord(collection, record as object));
    if (!checked.ok && recordFaults.length < 10)
      recordFaults.push(`${collection} ${key}: ${JSON.stringify(issueDetails(checked.issues))}`);
  }
}

/** Omits an event's body, which is not in the journal. */
function plainRecord(collection: string, record: object): unknown {
  if (collection !== "events") return record;
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
// Hooks run in reverse order, so this one also checks responses during close.
afterEach(checkAnswers);
afterEach(checkCommits);
afterEach(endTest);
afterAll(async () => {
  documented.isChecked = !IS_REPAIRED;
  await endFile();
  // Restores the process for the next test file.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  served.unsubscribe(hear);
  commits.unsubscribe(checkRecords);
  await checkAnswers();
});
