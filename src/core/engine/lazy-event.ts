import type { Mode } from "../schema/common.js";
import { numberedId } from "./ids.js";
import type { EventRecord } from "./records.js";

/** Event without its id and bytes. */
export type EventHead = Omit<EventRecord, "event_id" | "body">;

/** An id, or the parts it is made from on first use. */
export type EventId = string | { readonly scope: string; readonly number: number };

export interface EventData<Source> {
  /** The event's name on the wire. */
  readonly name: string;
  /** Immutable record; `toJson` makes the event's data from it. */
  readonly source: Source;
  readonly toJson: (source: Source) => string;
}

/**
 * Event whose id and body are made on first use. Without receivers most events are removed from the log before anything
 * reads them, and making bodies would be most of the work of a transition. `toJSON` returns a plain EventRecord.
 */
export class LazyEvent<Source> implements EventRecord {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly mode: Mode;
  readonly organization_id: string | null;
  readonly object_id: string | null;
  #id: string | undefined;
  #scope: string | undefined;
  readonly #number: number;
  #name: string | undefined;
  #source: Source | undefined;
  #toJson: ((source: Source) => string) | undefined;
  #body: string | undefined;

  constructor(id: EventId, head: EventHead, { name, source, toJson }: EventData<Source>) {
    // Separate fields: an object around them would stay in memory with the event.
    if (typeof id === "string") {
      this.#id = id;
      this.#scope = undefined;
      this.#number = 0;
    } else {
      this.#id = undefined;
      this.#scope = id.scope;
      this.#number = id.number;
    }
    this.seq = head.seq;
    this.type = head.type;
    this.at = head.at;
    this.mode = head.mode;
    this.organization_id = head.organization_id;
    this.object_id = head.object_id;
    this.#name = name;
    this.#source = source;
    this.#toJson = toJson;
  }

  get event_id(): string {
    if (this.#id === undefined) {
      this.#id = numberedId(this.#scope!, "event", this.#number);
      this.#scope = undefined;
    }
    return this.#id;
  }

  /** Number of the id in its scope; 0 if the id was given. */
  get number(): number {
    return this.#number;
  }

  /** Undefined once the body is made, because the source is not needed any more. */
  get data(): EventData<Source> | undefined {
    if (this.#body !== undefined) return undefined;
    return { name: this.#name!, source: this.#source!, toJson: this.#toJson! };
  }

  get body(): string {
    const { data } = this;
    if (data !== undefined) {
      const { name, source, toJson } = data;
      this.#body =
        `{"id":"${this.event_id}","type":${JSON.stringify(name)},"timestamp":"${this.at}",` +
        `"mode":"${this.mode}","data":${toJson(source)}}`;
      this.#source = undefined;
    }
    return this.#body!;
  }

  toJSON(): EventRecord {
    return toPlainEvent(this);
  }
}

export function toPlainEvent(event: EventRecord): EventRecord {
  const { event_id, seq, type, at, mode, organization_id, object_id, body } = event;
  return { event_id, seq, type, at, mode, organization_id, object_id, body };
}
