import type { Mode } from "../schema/common.js";
import type { EventRecord } from "./records.js";

/** What a new event is known by: all but its bytes. */
export type EventHead = Omit<EventRecord, "body">;

export interface EventData<Source> {
  /** What the event is sent under. */
  readonly name: string;
  /** A record that never changes, and what makes the event's data of it. */
  readonly source: Source;
  readonly toJson: (source: Source) => string;
}

/**
 * An event whose bytes are written when they are first asked for. Where nobody listens most events leave the log
 * unread, and writing them would be most of the work of a transition. In JSON it is an EventRecord like any other.
 */
export class WrittenLater<Source> implements EventRecord {
  readonly event_id: string;
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly mode: Mode;
  readonly organization_id: string | null;
  readonly object_id: string | null;
  #name: string | undefined;
  #source: Source | undefined;
  #toJson: ((source: Source) => string) | undefined;
  #body: string | undefined;

  constructor(head: EventHead, { name, source, toJson }: EventData<Source>) {
    this.event_id = head.event_id;
    this.seq = head.seq;
    this.type = head.type;
    this.at = head.at;
    this.mode = head.mode;
    this.organization_id = head.organization_id;
    this.object_id = head.object_id;
    // Each by itself: an object around them would stay for as long as the event does.
    this.#name = name;
    this.#source = source;
    this.#toJson = toJson;
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
  return { ...event, body: event.body };
}
