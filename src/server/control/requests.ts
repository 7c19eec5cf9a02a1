import { matchesAnyGlob } from "../../core/domain/glob.js";
import { matchesWords, searchWords } from "../../core/engine/match-fields.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { requestReason } from "../../core/reports/request-text.js";
import type { Mode } from "../../core/schema/common.js";
import {
  type RequestFilter,
  requestFilterSchema,
  requestQuerySchema,
} from "../../core/schema/control-log-requests.js";
import { parseJsonOrText } from "../../core/schema/json-objects.js";
import {
  INVALID_QUERY_MESSAGE,
  isRefusal,
  type Refusal,
  refuse,
  refuseInvalid,
} from "../../core/schema/refusals.js";
import { maskKey } from "../../core/schema/text-format.js";
import { iso, parseInstant } from "../../core/schema/time.js";
import { viewOrRefusal } from "../http/reply.js";
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
      const { mode, q, why } = input;
      const hasWords = q === undefined ? () => true : requestSearchFilter(q);
      const hasReason = (entry: RequestEntry) => why === undefined || requestEntryView(entry).why === why;
      const isListed = (entry: RequestEntry) =>
        (mode === undefined || modeOfRequest(entry) === mode) &&
        matches(entry) &&
        hasWords(entry) &&
        hasReason(entry);
      return pageReply(namespace.journal.entries().filter(isListed), input, requestEntryView);
    },
  }),
  defineControlOperation({
    id: "getRequest",
    call: "GET /_sandbox/requests/{request_id}",
    summary: "Get a request",
    description: "One request and its response.",
    output: "RequestEntry",
    run: ({ namespace, param }) =>
      viewOrRefusal(
        namespace.journal.entries().find(({ id }) => String(id) === param("request_id")) ??
          refuse("NOT_FOUND", "Request not found"),
        requestEntryView,
      ),
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
    (status === undefined || hasStatus(entry, status)) &&
    (sinceId === undefined || entry.id > sinceId) &&
    (sinceMs === undefined || entry.atMs >= sinceMs);
}

function hasStatus({ status, inFlight }: RequestEntry, pattern: string): boolean {
  if (status === null) return pattern === "none" && !inFlight;
  return matchesAnyGlob(pattern.replaceAll("x", "?"), String(status));
}

/** Mode of a request's key; one without a key counts as one of test mode. */
export function modeOfRequest({ apiKey }: RequestEntry): Mode {
  return apiKey?.startsWith("sk_live_") ? "live" : "test";
}

/** Selects requests with the words in their path, or in a value of their query or of a body, not in a field's name. */
function requestSearchFilter(search: string): (entry: RequestEntry) => boolean {
  const words = searchWords(search);
  const patterns = words.map((word) => new RegExp(word.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "i"));
  return (entry) =>
    words.length > 0 && mayContain(entry, patterns) && matchesWords(words, requestValues(entry));
}

/** Returns false if a word is in no part of the request, so that few bodies are parsed. */
function mayContain({ url, requestBody, responseBody }: RequestEntry, patterns: readonly RegExp[]): boolean {
  const texts = [url, requestBody ?? "", responseBody ?? ""];
  const hasEscapes = texts.some((text) => text.includes("%") || text.includes("\\u"));
  return hasEscapes || patterns.every((pattern) => texts.some((text) => pattern.test(text)));
}

function requestValues({ path, url, requestBody, responseBody }: RequestEntry): string[] {
  const values = [path, ...new URL(url, "http://sandbox").searchParams.values()];
  for (const body of [requestBody, responseBody])
    if (body !== null) collectValues(parseJsonOrText(body), values);
  return values;
}

function collectValues(value: unknown, values: string[]): void {
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) collectValues(part, values);
  else if (value !== null) values.push(String(value));
}

/** A journal entry with parsed JSON bodies and a masked key. */
export function requestEntryView(entry: RequestEntry) {
  const mark = entry.url.indexOf("?");
  const request = {
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
  return {
    ...request,
    object_id: entry.objectId ?? objectNamed(request) ?? null,
    why: requestReason(request, entry.faultRule),
    duration_ms: entry.durationMs,
  };
}

/** Id of the charge, payout or quote in the response to a POST, or in the path. */
function objectNamed({
  method,
  path,
  response_body,
}: {
  method: string;
  path: string;
  response_body: unknown;
}) {
  const made: Readonly<Record<string, unknown>> = method === "POST" ? Object(response_body) : {};
  const id = made.charge_id ?? made.withdrawal_id ?? made.quote_id;
  return typeof id === "string" ? id : /\/([a-z]+_[0-9a-f]{8,})/.exec(path)?.[1];
}

function bytesOf(text: string | null): number | null {
  return text === null || text === "" ? null : Buffer.byteLength(text);
}

function asJson(text: string | null): unknown {
  return text === null || text === "" ? null : parseJsonOrText(text);
}
