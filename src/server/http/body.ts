import { isAscii } from "node:buffer";
import {
  hasTooManyValues,
  isTooDeep,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  TOO_DEEP_MESSAGE,
  TOO_MANY_VALUES_MESSAGE,
} from "../../core/schema/json-objects.js";
import { type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";

export const MAX_BODY_BYTES = 1024 * 1024;
/** Oversized bodies up to this length are read and discarded, so the client finishes sending and reads the response. */
const DISCARDED_BYTES_MAX = 64 * 1024 * 1024;
/** Marks a forwarded call whose oversized body stayed behind. */
export const OVERSIZED_HEADER = "sandbox-body-oversized";

export type RawBody =
  /** `isGarbled`: invalid UTF-8; the text contains replacement characters. */
  | { readonly text: string; readonly isGarbled?: boolean }
  | { readonly tooLarge: true }
  /** The client disconnected before the body was whole, so the call must not be executed. */
  | { readonly torn: true };

/** Reads a body, keeping at most `maxBytes` in memory. */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<RawBody> {
  const read = await readBytes(request, maxBytes);
  return "bytes" in read ? decodeBody(read.bytes) : read;
}

export type BodyBytes = { readonly bytes: Buffer<ArrayBuffer> } | Exclude<RawBody, { readonly text: string }>;

/** Reads a body's bytes, keeping at most `maxBytes` in memory. */
export async function readBytes(request: Request, maxBytes: number): Promise<BodyBytes> {
  try {
    return await readAll(request, maxBytes);
  } catch {
    return { torn: true };
  }
}

async function readAll(request: Request, maxBytes: number): Promise<BodyBytes> {
  const length = request.headers.get("content-length");
  if (Number(length) > maxBytes || request.headers.has(OVERSIZED_HEADER)) return { tooLarge: true };
  if (length !== null) return { bytes: Buffer.from(await request.arrayBuffer()) };
  if (request.body === null) return { bytes: Buffer.alloc(0) };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > Math.max(maxBytes, DISCARDED_BYTES_MAX)) break;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > maxBytes) return { tooLarge: true };
  return { bytes: Buffer.concat(chunks) };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

export function decodeBody(bytes: Buffer): RawBody {
  // Nearly all bodies are ASCII, and ASCII is decoded faster as latin-1.
  if (isAscii(bytes)) return { text: bytes.toString("latin1") };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { text: new TextDecoder().decode(bytes), isGarbled: true };
  }
}

export interface ParsedBody {
  readonly object: Record<string, unknown>;
}

/** Parses a JSON object; refuses a body that is too large, of another content type, malformed or not an object. */
export function parseBody(raw: RawBody, header: (name: string) => string | null): ParsedBody | Refusal {
  if ("tooLarge" in raw) return bodyTooLargeRefusal();
  if ("torn" in raw) return incompleteBodyRefusal();
  const contentType = header("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(contentType))
    return refuseInvalid({ body: "must be sent with Content-Type: application/json" });
  const [, charset] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? [];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    return refuseInvalid({ body: `must be UTF-8, not ${charset}` });
  const encoding = header("content-encoding") ?? "identity";
  if (encoding !== "" && encoding.toLowerCase() !== "identity")
    return refuseInvalid({ body: `must not be compressed: Content-Encoding ${encoding} is not supported` });
  return parseJsonObject(raw);
}

export function bodyTooLargeRefusal(maxBytes = MAX_BODY_BYTES): Refusal {
  return refuse("PAYLOAD_TOO_LARGE", `The request body is larger than ${maxBytes / 2 ** 20} MiB`);
}

export function incompleteBodyRefusal(): Refusal {
  return refuseInvalid({ body: "ended before it was complete" });
}

/** Shorter texts cannot exceed the nesting limit. */
const DEEP_LENGTH_MIN = 2 * MAX_JSON_DEPTH;

export function parseJsonObject(
  { text, isGarbled }: Extract<RawBody, { text: string }>,
  maxDepth = MAX_JSON_DEPTH,
  maxValues = MAX_JSON_VALUES,
): ParsedBody | Refusal {
  if (isGarbled) return refuseInvalid({ body: "is not valid UTF-8" });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuseInvalid({ body: text.trim() === "" ? "is required" : "is not valid JSON" });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuseInvalid({ body: "must be a JSON object" });
  if (text.length > DEEP_LENGTH_MIN && isTooDeep(value, maxDepth))
    return refuseInvalid({ body: TOO_DEEP_MESSAGE });
  // Shorter texts cannot have as many values.
  if (text.length > 2 * maxValues && hasTooManyValues(value, maxValues))
    return refuseInvalid({ body: TOO_MANY_VALUES_MESSAGE });
  return { object: value as Record<string, unknown> };
}
