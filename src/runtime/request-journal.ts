import { iso } from "../schema/time.js";
import { cutBody } from "./kept-body.js";

/** What is known of a request when it has been answered. */
interface Served {
  readonly url: string;
  readonly requestBody: string | null;
  readonly responseBody: string | null;
}

/** What any entry of the journal has besides what was said and answered. */
interface Stamp {
  readonly id: number;
  readonly at: string;
  /** How long a body was that is not kept whole. */
  readonly requestBytes?: number;
  readonly responseBytes?: number;
}

/** An entry without its texts takes about so much. */
const ENTRY_CHARS = 1_000;
const MAX_CHARS = 64 * 1024 * 1024;

/**
 * The last requests and their answers: a ring in memory, no part of the state. Its limit is a number of requests; long
 * before memory is short the oldest go for their size too.
 */
export class RequestJournal<Request extends Served> {
  readonly #limit: number;
  readonly #onAdd: (entry: Request & Stamp) => void;
  #ring: ((Request & Stamp) | undefined)[] = [];
  /** The id of the newest, and that of the oldest that is left. */
  #count = 0;
  #oldest = 1;
  #chars = 0;

  constructor(limit: number, onAdd: (entry: Request & Stamp) => void) {
    this.#limit = limit;
    this.#onAdd = onAdd;
  }

  /** Takes the request for its own: it is stamped, not copied, for a copy costs a tenth of what a whole call does. */
  add(request: Request, arrivedMs: number): void {
    const entry = request as Request & { -readonly [Name in keyof (Served & Stamp)]: (Served & Stamp)[Name] };
    cutBodies(entry);
    entry.id = ++this.#count;
    entry.at = iso(arrivedMs);
    if (this.#limit === 0) this.#oldest = this.#count + 1;
    else this.#keep(entry);
    this.#onAdd(entry);
  }

  #keep(entry: Request & Stamp): void {
    if (this.#count - this.#oldest >= this.#limit) this.#dropOldest();
    this.#ring[(entry.id - 1) % this.#limit] = entry;
    this.#chars += charsOf(entry);
    while (this.#chars > MAX_CHARS) this.#dropOldest();
  }

  #dropOldest(): void {
    const place = (this.#oldest++ - 1) % this.#limit;
    this.#chars -= charsOf(this.#ring[place]!);
    this.#ring[place] = undefined;
  }

  /** Newest first. */
  entries(): (Request & Stamp)[] {
    const entries: (Request & Stamp)[] = [];
    for (let id = this.#count; id >= this.#oldest; id--) entries.push(this.#ring[(id - 1) % this.#limit]!);
    return entries;
  }

  clear(): void {
    this.#ring = [];
    this.#count = 0;
    this.#oldest = 1;
    this.#chars = 0;
  }
}

function cutBodies(entry: { -readonly [Name in keyof (Served & Stamp)]: (Served & Stamp)[Name] }): void {
  const request = entry.requestBody === null ? undefined : cutBody(entry.requestBody);
  if (request !== undefined) {
    entry.requestBody = request.text;
    entry.requestBytes = request.bytes;
  }
  const response = entry.responseBody === null ? undefined : cutBody(entry.responseBody);
  if (response !== undefined) {
    entry.responseBody = response.text;
    entry.responseBytes = response.bytes;
  }
}

function charsOf({ url, requestBody, responseBody }: Served): number {
  return ENTRY_CHARS + url.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
}
