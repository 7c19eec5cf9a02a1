import { iso } from "../schema/time.js";

/** What any entry of the journal has besides what was said and answered. */
interface Stamp {
  readonly id: number;
  readonly at: string;
}

/** The last requests and their answers: a ring in memory, no part of the state. */
export class RequestJournal<Request extends object> {
  readonly #limit: number;
  readonly #onAdd: (entry: Request & Stamp) => void;
  #ring: (Request & Stamp)[] = [];
  #count = 0;

  constructor(limit: number, onAdd: (entry: Request & Stamp) => void) {
    this.#limit = limit;
    this.#onAdd = onAdd;
  }

  /** Takes the request for its own: it is stamped, not copied, for a copy costs a tenth of what a whole call does. */
  add(request: Request, arrivedMs: number): void {
    if (this.#limit === 0) return;
    const entry = request as Request & { id: number; at: string };
    entry.id = ++this.#count;
    entry.at = iso(arrivedMs);
    this.#ring[(entry.id - 1) % this.#limit] = entry;
    this.#onAdd(entry);
  }

  /** Newest first. */
  entries(): (Request & Stamp)[] {
    return [...this.#ring].sort((a, b) => b.id - a.id);
  }

  clear(): void {
    this.#ring = [];
    this.#count = 0;
  }
}
