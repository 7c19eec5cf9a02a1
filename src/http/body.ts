import { invalid, type Refusal, refuse } from "../schema/errors.js";

export const MAX_BODY_BYTES = 1024 * 1024;
/** So much of a body that is too large is read on and dropped, so that its sender hears the answer. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;

/** A request's body, read but not yet judged: the checks that come before it may still want to see it. */
export type RawBody =
  | { readonly text: string }
  | { readonly tooLarge: true }
  /** Its sender hung up before it was whole: nobody reads the answer, and nothing may be done for it. */
  | { readonly torn: true };

/** Keeps at most the limit. */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<RawBody> {
  try {
    return await readAll(request, maxBytes);
  } catch {
    return { torn: true };
  }
}

async function readAll(request: Request, maxBytes: number): Promise<RawBody> {
  const length = request.headers.get("content-length");
  if (length !== null) return Number(length) > maxBytes ? { tooLarge: true } : { text: await request.text() };
  if (request.body === null) return { text: "" };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > Math.max(maxBytes, MAX_DISCARDED_BYTES)) break;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > maxBytes) return { tooLarge: true };
  return { text: Buffer.concat(chunks).toString("utf8") };
}

export interface JsonObject {
  readonly object: Record<string, unknown>;
}

/** The JSON object of a body, or what is wrong with it: too large, another type, broken, no object. */
export function parseBody(raw: RawBody, contentType: string | null): JsonObject | Refusal {
  if ("tooLarge" in raw) return refuse("PAYLOAD_TOO_LARGE", "The request body is larger than 1 MiB");
  if ("torn" in raw) return tornBody();
  if (contentType === null || !/^application\/json\s*(;|$)/i.test(contentType))
    return invalid({ body: "must be sent with Content-Type: application/json" });
  return parseObject(raw.text);
}

export function tornBody(): Refusal {
  return invalid({ body: "broke off before it was whole" });
}

export function parseObject(text: string): JsonObject | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid({ body: text.trim() === "" ? "is required" : "is not valid JSON" });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid({ body: "must be a JSON object" });
  return { object: value as Record<string, unknown> };
}
