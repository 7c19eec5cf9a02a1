import type { Mode } from "../schema/common.js";
import type { EventRecord } from "./records.js";

/** What a new event is known by: all but its bytes. */
export type EventHead = Omit<EventRecord, "body">;

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
  readonly #name: string;
  /** Until the bytes are written: by then it may be a record of long ago. */
  #source: Source | undefined;
  readonly #toJson: (source: Source) => string;
  #body: string | undefined;

  /** `name` is what it is sent under, `toJson` what makes its data of a record that never changes. */
  constructor(head: EventHead, name: string, source: Source, toJson: (source: Source) => string) {
    this.event_id = head.event_id;
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

  get body(): string {
    if (this.#body === undefined) {
      this.#body =
        `{"id":"${this.event_id}","type":${JSON.stringify(this.#name)},"timestamp":"${this.at}",` +
        `"mode":"${this.mode}","data":${this.#toJson(this.#source as Source)}}`;
      this.#source = undefined;
    }
    return this.#body;
  }

  toJSON(): EventRecord {
    return plainEvent(this);
  }
}

/** The event as a plain object. */
export function plainEvent(event: EventRecord): EventRecord {
  return { ...event, body: event.body };
}
