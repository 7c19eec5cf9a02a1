import { matchesAnyGlob } from "../../core/domain/glob.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import {
  type RequestFilter,
  requestFilterSchema,
  requestQuerySchema,
} from "../../core/schema/control-log-requests.js";
import { parseJsonOrText } from "../../core/schema/json-objects.js";
import { INVALID_QUERY_MESSAGE, isRefusal, type Refusal, refuseInvalid } from "../../core/schema/refusals.js";
import { maskKey } from "../../core/schema/text-format.js";
import { iso, parseInstant } from "../../core/schema/time.js";
import { defineControlOperation, pageReply } from "./control-operation.js";

export const REQUEST_OPERATIONS = [
  defineControlOperation({
    id: "listRequests",
    call: "GET /_sandbox/requests",
    summary: "List requests",
    description: "Requests of the app and their responses, with bodies, newest first. API keys are masked.",
    input: requestQuerySchema,
    output: "RequestList",
    run: ({ namespace, input }) => {
      const matches = requestMatcher(input);
      if (isRefusal(matches)) return matches;
      return pageReply(namespace.journal.entries().filter(matches), input, requestEntryView);
    },
  }),
  defineControlOperation({
    id: "clearRequests",
    call: "DELETE /_sandbox/requests",
    summary: "Clear the request journal",
    description:
      "Removes the matching requests from the request journal, or all of them without a filter. Returns the first page of the rest.",
    input: requestFilterSchema,
    output: "RequestList",
    run: ({ namespace, input }) => {
      const matches = requestMatcher(input);
      if (isRefusal(matches)) return matches;
      if (Object.keys(input).length === 0) namespace.clearRequests();
      else namespace.removeRequests(matches);
      return pageReply(namespace.journal.entries(), {}, requestEntryView);
    },
  }),
];

function requestMatcher({
  method,
  path,
  operation,
  status,
  since,
}: RequestFilter): ((entry: RequestEntry) => boolean) | Refusal {
  const sinceId = since !== undefined && /^\d+$/.test(since) ? Number(since) : undefined;
  const sinceMs = since === undefined || sinceId !== undefined ? undefined : parseInstant(since);
  if (since !== undefined && sinceId === undefined && sinceMs === undefined)
    return refuseInvalid(
      { since: "must be the id of a request, or an ISO 8601 instant such as 2026-01-31T09:00:00.000Z" },
      INVALID_QUERY_MESSAGE,
    );
  return (entry) =>
    (method === undefined || entry.method === method) &&
    (path === undefined || matchesAnyGlob(path, entry.path)) &&
    (operation === undefined || matchesAnyGlob(operation, entry.operation)) &&
    (status === undefined || matchesAnyGlob(status.replaceAll("x", "?"), String(entry.status))) &&
    (sinceId === undefined || entry.id > sinceId) &&
    (sinceMs === undefined || entry.atMs >= sinceMs);
}

/** A journal entry with parsed JSON bodies and a masked key. */
export function requestEntryView(entry: RequestEntry) {
  const mark = entry.url.indexOf("?");
  return {
    request_id: entry.id,
    at: iso(entry.atMs),
    sent_at: iso(entry.wallMs),
    method: entry.method,
    path: entry.path,
    query: mark === -1 ? {} : Object.fromEntries(new URLSearchParams(entry.url.slice(mark + 1))),
    operation: entry.operation,
    status: entry.status,
    in_flight: entry.inFlight,
    client_gone: entry.hasClientDisconnected,
    api_key: entry.apiKey === null ? null : maskKey(entry.apiKey),
    idempotency_key: entry.idempotencyKey,
    runner: entry.runner ?? null,
    scenario: entry.scenario,
    fault: entry.fault,
    tolerated: [...(entry.tolerated ?? [])],
    request_body: asJson(entry.requestBody),
    request_body_bytes: entry.requestBytes ?? bytesOf(entry.requestBody),
    response_body: asJson(entry.responseBody),
    response_body_bytes: entry.responseBytes ?? bytesOf(entry.responseBody),
  };
}

function bytesOf(text: string | null): number | null {
  return text === null || text === "" ? null : Buffer.byteLength(text);
}

function asJson(text: string | null): unknown {
  return text === null || text === "" ? null : parseJsonOrText(text);
}
