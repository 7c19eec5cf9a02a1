import type { Mode } from "../schema/common.js";
import type { EventRecord } from "./records.js";

/**
 * An event whose bytes are written when they are first asked for. Where nobody listens most events leave the log
 * unread, and writing them would be most of the work of a transition. In JSON it is an EventRecord like any other.
 */
export class WrittenLater implements EventRecord {
  readonly event_id: string;
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly mode: Mode;
  readonly organization_id: string | null;
  readonly object_id: string | null;
  #body: string | (() => string);

  constructor(event: Omit<EventRecord, "body">, body: () => string) {
    this.event_id = event.event_id;
    this.seq = event.seq;
    this.type = event.type;
    this.at = event.at;
    this.mode = event.mode;
    this.organization_id = event.organization_id;
    this.object_id = event.object_id;
    this.#body = body;
  }

  get body(): string {
    if (typeof this.#body !== "string") this.#body = this.#body();
    return this.#body;
  }

  toJSON(): EventRecord {
    return { ...this, body: this.body };
  }
}

/** The event as a plain object. */
export function plainEvent(event: EventRecord): EventRecord {
  return { ...event, body: event.body };
}
