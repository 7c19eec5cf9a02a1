import type { JournalEntry } from "../../namespace/served-request.js";
import { jsonOrText } from "../../schema/depth.js";
import { maskKey } from "../../schema/mask-key.js";
import { iso } from "../../schema/time.js";

/** A journal entry with its bodies as JSON where they are, and the key masked. */
export function requestView(entry: JournalEntry) {
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
    client_gone: entry.clientGone,
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
  return text === null || text === "" ? null : jsonOrText(text);
}
