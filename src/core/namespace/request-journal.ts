import { channel } from "node:diagnostics_channel";
import type { Emitter } from "../engine/emitter.js";
import type { EngineEvents } from "../engine/engine.js";
import { MemoryMeter } from "../engine/memory-meter.js";
import type { FaultRule } from "../schema/scenario-rules.js";
import type { Settings } from "../schema/settings.js";

export interface ServedRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly operation: string | null;
  /** Null without a response: in flight, cut off, or the client disconnected. */
  readonly status: number | null;
  readonly hasClientDisconnected: boolean;
  readonly apiKey: string | null;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
  /** A fault suppressed the response after the call took effect. */
  readonly isResponseLost?: boolean | undefined;
  /** Error code of the response, before the option `error_codes` renames it. */
  readonly errorCode: string | null;
  readonly idempotencyKey: string | null;
  /** Id of the scenario run that sent the request (header `Sandbox-Runner`); null if the app sent it. */
  readonly runner?: string | null;
  readonly scenario: string | null;
  readonly fault: string | null;
  readonly faultRule?: FaultRule | undefined;
  /** Id of the created object. With a fault: id of the object in the response, even if the response is lost. */
  objectId?: string | undefined;
  /** Location and problem of each input that was silently ignored. */
  readonly tolerated?: readonly string[] | undefined;
}

export interface ArrivalTime {
  /** Sandbox time. */
  readonly atMs: number;
  readonly wallMs: number;
}

export interface RequestEntry extends ServedRequest {
  readonly id: number;
  /** True until the call is answered or its connection is closed. */
  inFlight: boolean;
  /** Sandbox time of arrival. */
  readonly atMs: number;
  /** Wall time of arrival. Shows the app's pauses while sandbox time stands still. */
  readonly wallMs: number;
  /** Wall time from arrival to response. */
  readonly durationMs: number;
  /** Full length of a truncated body. */
  readonly requestBytes?: number;
  readonly responseBytes?: number;
  /** Approximate size, as counted for the limit of the journal. */
  readonly chars: number;
}

export interface NamespaceEvents extends EngineEvents {
  /** A request that is not answered at once. `answered` follows. */
  readonly arrived: RequestEntry;
  readonly answered: RequestEntry;
}

export type NamespaceEmitter = Emitter<NamespaceEvents>;

type MutableEntry = { -readonly [Name in keyof RequestEntry]: RequestEntry[Name] };

/** Publishes each request with its response and full bodies to `diagnostics_channel` subscribers. */
const requests = channel("payments-sandbox:request");

/** Approximate size of an entry without its texts. */
const ENTRY_CHARS = 1_000;

/** Maximum number of entries, and their maximum size in all. */
type Limit = Pick<Settings["retention"], "requests" | "bytes">;

/** The last requests, in memory and not part of the state; limited in number and in total size. */
export class RequestJournal {
  readonly #limit: Limit;
  readonly #memory: MemoryMeter;
  readonly #events: NamespaceEmitter;
  /** Oldest first. */
  #entries: RequestEntry[] = [];
  #lastId = 0;
  #chars = 0;
  #inFlight = new Set<RequestEntry>();

  /**
   * @param events `arrived` and `answered`; errors of their listeners never fail a call
   * @param memory counts the size of the entries; while it is full, old ones make room
   */
  constructor(limit: Limit, events: NamespaceEmitter, memory = new MemoryMeter()) {
    this.#limit = limit;
    this.#memory = memory;
    this.#events = events;
  }

  /** Adds fields to `request` itself, because a copy would make each call a tenth more expensive. */
  add(request: ServedRequest, arrival: ArrivalTime): void {
    if (requests.hasSubscribers) requests.publish(request);
    try {
      this.#events.emit("answered", this.#append(request, arrival, false));
    } catch (error) {
      this.#events.reportError(this, error);
    }
  }

  /** Adds a call in flight, to be completed by `finish`. */
  begin(request: ServedRequest, arrival: ArrivalTime): RequestEntry {
    const entry = request as RequestEntry;
    this.#events.runSafely(this, () => {
      this.#inFlight.add(this.#append(request, arrival, true));
      this.#events.emit("arrived", entry);
    });
    return entry;
  }

  /** Completes a call in flight. Ignored if the call was removed meanwhile. */
  finish(entry: RequestEntry, request: ServedRequest): void {
    if (requests.hasSubscribers) requests.publish(request);
    if (!this.#inFlight.delete(entry)) return;
    this.#events.runSafely(this, () => {
      cutBodies(Object.assign(entry as MutableEntry, request, { id: entry.id, inFlight: false }));
      if (this.#entries.includes(entry)) this.#measure(entry);
      this.#events.emit("answered", entry);
    });
  }

  #append(request: ServedRequest, { atMs, wallMs }: ArrivalTime, inFlight: boolean): RequestEntry {
    const entry = request as MutableEntry;
    cutBodies(entry);
    entry.id = ++this.#lastId;
    entry.atMs = atMs;
    entry.wallMs = wallMs;
    entry.inFlight = inFlight;
    entry.chars = 0;
    this.#entries.push(entry);
    this.#measure(entry);
    return entry;
  }

  /** Counts the entry's size, and drops the oldest entries beyond the limits. */
  #measure(entry: MutableEntry): void {
    this.#count(-entry.chars);
    entry.chars = ENTRY_CHARS + entry.url.length + lengthOf(entry.requestBody) + lengthOf(entry.responseBody);
    this.#count(entry.chars);
    while (this.#isOverfull()) this.#count(-this.#entries.shift()!.chars);
  }

  #count(chars: number): void {
    this.#chars += chars;
    this.#memory.add(chars);
  }

  #isOverfull(): boolean {
    const { length } = this.#entries;
    const { requests, bytes } = this.#limit;
    return length > requests || (length > 1 && (this.#chars > bytes || !this.#memory.hasRoomFor(0)));
  }

  /** Newest first. */
  entries(): RequestEntry[] {
    return this.#entries.toReversed();
  }

  remove(matches: (entry: RequestEntry) => boolean): void {
    const removed = new Set(this.#entries.filter(matches));
    for (const entry of removed) {
      this.#inFlight.delete(entry);
      this.#count(-entry.chars);
    }
    this.#entries = this.#entries.filter((entry) => !removed.has(entry));
  }

  clear(): void {
    this.#inFlight = new Set();
    this.#entries = [];
    this.#lastId = 0;
    this.#count(-this.#chars);
  }
}

const BODIES = [
  ["requestBody", "requestBytes"],
  ["responseBody", "responseBytes"],
] as const;

function cutBodies(entry: MutableEntry): void {
  for (const [body, bytes] of BODIES) {
    const cut = truncateBody(entry[body] ?? "");
    if (cut === undefined) continue;
    entry[body] = cut.text;
    entry[bytes] = cut.bytes;
  }
}

function lengthOf(body: string | null): number {
  return body?.length ?? 0;
}

export const MAX_JOURNALED_BODY_BYTES = 64 * 1024;

/** The longest UTF-8 encoding of a UTF-16 code unit. */
const LONGEST_CHARACTER_BYTES = 3;

/** Truncates a body over the limit; `bytes` is the full length. Returns undefined for a body within the limit. */
export function truncateBody(body: string): { text: string; bytes: number } | undefined {
  if (body.length * LONGEST_CHARACTER_BYTES <= MAX_JOURNALED_BODY_BYTES) return undefined;
  const bytes = Buffer.byteLength(body);
  if (bytes <= MAX_JOURNALED_BODY_BYTES) return undefined;
  const beginning = Buffer.from(body.slice(0, MAX_JOURNALED_BODY_BYTES));
  let end = MAX_JOURNALED_BODY_BYTES;
  // A character that does not fit is dropped whole.
  while (isInsideCharacter(beginning[end])) end--;
  // Decoded from bytes: a slice of a string would keep the whole in memory.
  return { text: `${beginning.toString("utf8", 0, end)}… [cut: ${bytes} bytes in all]`, bytes };
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
