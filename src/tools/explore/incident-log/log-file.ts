import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { findJsonFault } from "../../../core/domain/json-fault.js";
import { closedShape, field } from "../../../core/schema/descriptions.js";
import { ALL_EVENT_TYPES, suggestEventType } from "../../../core/schema/event-types.js";
import { issueDetails, safeParse } from "../../../core/schema/issues.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { didYouMean } from "../../../core/schema/nearest.js";
import { isOperationId, OPERATION_IDS } from "../../../core/schema/operation-ids.js";
import { systemErrorText } from "../../../core/schema/system-error-text.js";
import { parseInstant } from "../../../core/schema/time.js";
import { UserError } from "../../../core/schema/user-error.js";

/** A call of the app to the service, as an incident's log has it. */
export interface LoggedCall {
  readonly atMs: number;
  readonly operation: string;
  /** Status of the response; absent if the log has none. */
  readonly status?: number | undefined;
  readonly isLost: boolean;
}

/** An attempt to deliver an event to the app. */
export interface LoggedWebhook {
  readonly atMs: number;
  readonly type: string;
  readonly eventId: string;
  /** Id of the charge or withdrawal; absent if the log has none. */
  readonly object?: string | undefined;
  /** The endpoint; absent if the log has only one. */
  readonly endpoint?: string | undefined;
  /** Time at which the event happened; absent if the log has none. */
  readonly happenedMs?: number | undefined;
  /** Status of the app's response; absent if the log has none. */
  readonly status?: number | undefined;
  readonly isLost: boolean;
  /** The attempt follows one that failed. */
  readonly isRetry?: boolean;
}

export interface IncidentLog {
  readonly calls: readonly LoggedCall[];
  readonly webhooks: readonly LoggedWebhook[];
}

const LINE_FORM =
  'a line is {"at", "call", "status" or "lost"} or {"at", "webhook", "id", "status"}, or a record of this sandbox';

const instant = z
  .string()
  .check(
    z.refine((text) => parseInstant(text) !== undefined, "must be a time, such as 2026-11-20T14:02:11.120Z"),
  );
const status = z.optional(z.int("must be a status, such as 200").check(z.gte(100), z.lte(599)));
const lost = z.optional(z.boolean());

const callLine = closedShape(undefined, "", {
  at: field(instant, "When the response came, or the app gave up."),
  call: field(
    z.string().check(
      z.refine(isOperationId, {
        error: ({ input }) => `is no operation${didYouMean(String(input), OPERATION_IDS)}`,
      }),
    ),
    "The operation's id.",
  ),
  status: field(status, "Status of the response."),
  lost: field(lost, "True without a response."),
});

const webhookLine = closedShape(undefined, "", {
  at: field(instant, "When the webhook arrived."),
  webhook: field(
    z.string().check(
      z.refine((type) => ALL_EVENT_TYPES.includes(type), {
        error: ({ input }) => `is no event type${suggestEventType(String(input), ALL_EVENT_TYPES)}`,
      }),
    ),
    "The event's type.",
  ),
  id: field(z.string().check(z.minLength(1)), "The event's id, the same for each copy."),
  status: field(status, "Status of the app's response."),
  lost: field(lost, "True if the app's response was lost."),
});

const text = z.optional(z.string());
const nullableStatus = z.nullable(z.int());

const requestRecord = z.object({
  operation: z.nullable(z.string()),
  runner: z.optional(z.nullable(z.string())),
  at: instant,
  status: nullableStatus,
  in_flight: z.optional(z.boolean()),
});
const deliveryRecord = z.object({
  event_id: z.string(),
  type: text,
  event_type: text,
  charge_id: text,
  withdrawal_id: text,
  object_id: text,
  webhook_id: z.string(),
  created_at: instant,
  attempts: z.array(z.object({ at: instant, status: nullableStatus })),
});
const mailboxRecord = z.object({
  event_id: z.string(),
  type: z.string(),
  attempt: z.int(),
  headers: z.object({ "webhook-timestamp": z.string().check(z.regex(/^\d+$/)) }),
  body: z.string(),
});
const eventBody = z.object({
  data: z.object({ charge_id: text, withdrawal_id: text }),
});

type LogEntry = LoggedCall | LoggedWebhook;

class EntryError extends Error {}

/**
 * Reads JSON lines, or JSON that the sandbox has written: `export`, a list of requests or deliveries, deliveries taken from
 * a mailbox. Throws a UserError with the first line that cannot be read.
 */
export function readIncidentLog(file: string): IncidentLog {
  const text = readText(file).replace(/^\uFEFF/, "");
  const entries = documentEntries(file, text) ?? lineEntries(file, text);
  const sorted = entries.toSorted((one, other) => one.atMs - other.atMs);
  return {
    calls: sorted.filter((entry) => "operation" in entry),
    webhooks: sorted.filter((entry) => "eventId" in entry),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${file}: cannot be read: ${systemErrorText(error)}`, 2);
  }
}

/** Entries of a file that is one JSON value; undefined for JSON lines. */
function documentEntries(file: string, text: string): LogEntry[] | undefined {
  if (findJsonFault(text) !== undefined) return undefined;
  return entriesAt(file, 1, JSON.parse(text));
}

function lineEntries(file: string, text: string): LogEntry[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const fault = findJsonFault(line);
    if (fault !== undefined)
      throw new UserError(`${file}:${index + 1}: is not JSON: ${fault.message}: ${LINE_FORM}`, 2);
    return entriesAt(file, index + 1, JSON.parse(line));
  });
}

function entriesAt(file: string, line: number, value: unknown): LogEntry[] {
  try {
    return entriesOf(value);
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    throw new UserError(`${file}:${line}: ${error.message}`, 2);
  }
}

function entriesOf(value: unknown): LogEntry[] {
  if (Array.isArray(value)) return value.flatMap(entriesOf);
  if (!isJsonObject(value)) throw new EntryError(LINE_FORM);
  if (isJsonObject(value.collections)) return recordsOf(value.collections.deliveries).flatMap(entriesOf);
  if (Array.isArray(value.items)) return oldestFirst(value.items).flatMap(entriesOf);
  if ("request_id" in value) return requestEntries(value);
  if ("attempts" in value) return deliveryEntries(value);
  if ("delivery_id" in value) return [mailboxEntry(value)];
  return [lineEntry(value)];
}

/** A mailbox gives the oldest delivery first, a list of the sandbox the newest row. */
function oldestFirst(items: readonly unknown[]): readonly unknown[] {
  const isTaken = items.every((item) => isJsonObject(item) && "headers" in item);
  return isTaken ? items : items.toReversed();
}

/** The records of a collection, which an exported state has as pairs of key and record. */
function recordsOf(collection: unknown): unknown[] {
  return Array.isArray(collection) ? collection.map((entry) => (entry as unknown[])[1]) : [];
}

function lineEntry(value: Record<string, unknown>): LogEntry {
  if ("call" in value) {
    const { at, call, status, lost = false } = parsed(callLine, value);
    return { atMs: parseInstant(at)!, operation: call, status, isLost: lost };
  }
  if (!("webhook" in value)) throw new EntryError(`has neither call nor webhook: ${LINE_FORM}`);
  const { at, webhook, id, status, lost = false } = parsed(webhookLine, value);
  return { atMs: parseInstant(at)!, type: webhook, eventId: id, status, isLost: lost };
}

function parsed<Value>(schema: z.ZodMiniType<Value>, value: unknown): Value {
  const result = safeParse(schema, value);
  if (result.ok) return result.data;
  const [[path, message] = ["", ""]] = Object.entries(issueDetails(result.issues, schema));
  throw new EntryError(`${path} ${message}`);
}

/** A call in the sandbox's list of requests; none for calls of the control API, and of a scenario's own steps. */
function requestEntries(value: unknown): LogEntry[] {
  const { operation, runner, at, status, in_flight } = parsed(requestRecord, value);
  if (operation === null || typeof runner === "string" || in_flight === true) return [];
  return [{ atMs: parseInstant(at)!, operation, status: status ?? undefined, isLost: status === null }];
}

/** The attempts of a delivery, as the control API and an exported state have it. */
function deliveryEntries(value: unknown): LogEntry[] {
  const { event_id, webhook_id, created_at, attempts, ...delivery } = parsed(deliveryRecord, value);
  const { type, event_type = type, charge_id, withdrawal_id, object_id } = delivery;
  return attempts.map(({ at, status }, index) => ({
    atMs: parseInstant(at)!,
    type: String(event_type),
    eventId: event_id,
    object: charge_id ?? withdrawal_id ?? object_id,
    endpoint: webhook_id,
    happenedMs: parseInstant(created_at)!,
    status: status ?? undefined,
    isLost: status === null,
    isRetry: index > 0,
  }));
}

/** A delivery taken from a mailbox, and signed then: when it was due is not the app's concern. */
function mailboxEntry(value: unknown): LogEntry {
  const { event_id, type, attempt, headers, body } = parsed(mailboxRecord, value);
  if (findJsonFault(body) !== undefined) throw new EntryError("body is not JSON");
  const { data } = parsed(eventBody, JSON.parse(body));
  return {
    atMs: Number(headers["webhook-timestamp"]) * 1_000,
    type,
    eventId: event_id,
    object: data.charge_id ?? data.withdrawal_id,
    isLost: false,
    isRetry: attempt > 1,
  };
}
