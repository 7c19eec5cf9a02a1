import type { Mode } from "../schema/common.js";
import { numberedId } from "./ids.js";
import type { EventRecord } from "./records.js";

/** What a new event is known by: all but its id and its bytes. */
export type EventHead = Omit<EventRecord, "event_id" | "body">;

/** What an id is made of when somebody first asks for it; or the id. */
export type EventId = string | { readonly scope: string; readonly number: number };

export interface EventData<Source> {
  /** What the event is sent under. */
  readonly name: string;
  /** A record that never changes, and what makes the event's data of it. */
  readonly source: Source;
  readonly toJson: (source: Source) => string;
}

/**
 * An event whose id is made, and whose bytes are written, when they are first asked for. Where nobody listens most events
 * leave the log unread, and that would be most of the work of a transition. In JSON it is an EventRecord like any other.
 */
export class WrittenLater<Source> implements EventRecord {
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
    // Each by itself: an object around them would stay for as long as the event does.
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

  /** Which of the ids of its scope it has, where it has one of them. */
  get number(): number {
    return this.#number;
  }

  /** Until the bytes are written: by then the source may be a record of long ago. */
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
    return plainEvent(this);
  }
}

/** The event as a plain object. */
export function plainEvent(event: EventRecord): EventRecord {
  const { event_id, seq, type, at, mode, organization_id, object_id, body } = event;
  return { event_id, seq, type, at, mode, organization_id, object_id, body };
}
