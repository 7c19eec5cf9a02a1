import { parseEventType } from "../schema/event-types.js";
import { getOwn } from "../schema/json-objects.js";
import type { Settings } from "../schema/settings.js";
import { digestOf, idOf } from "./ids.js";
import type { EventRecord, Mishap } from "./records.js";

/** Types that a false event claims, to make the app act: deliver goods for a charge, or pay a withdrawal again. */
const CLAIMS = { charge: "charge.completed", withdrawal: "withdrawal.failed" } as const;

/** Returns the mishap of a false event. A scenario sends it beside the real event, with an invalid signature. */
export function invalidSignatureMishap(
  scenario: string,
  { type }: EventRecord,
  { event_names }: Settings,
): Mishap {
  const object = parseEventType(type)?.object;
  const claimed = object === undefined ? type : CLAIMS[object];
  const forged = {
    type: getOwn(event_names, claimed) ?? claimed,
    status: parseEventType(claimed)?.status ?? null,
  };
  return { scenario, bad_signature: true, stale_ms: 0, fail_first: 0, drop: false, forged };
}

/** Id of an extra copy of an event to an endpoint. */
export function eventCopyId({ event_id }: EventRecord, webhookId: string, copy: number): string {
  return idOf("event", digestOf(`${event_id}\0${webhookId}\0${copy}`));
}

function withId({ event_id, body }: EventRecord, id: string): Pick<EventRecord, "event_id" | "body"> {
  return { event_id: id, body: body.replace(JSON.stringify(event_id), JSON.stringify(id)) };
}

/** Returns the id and body to send. A copy can have a new id. A false event has a new id and the type in `mishap`. */
export function eventToSend(
  event: EventRecord,
  mishap: Mishap | null,
): Pick<EventRecord, "event_id" | "body"> {
  const forged = mishap?.forged;
  if (mishap?.copy_id !== undefined) return withId(event, mishap.copy_id);
  if (forged === undefined) return event;
  const event_id = idOf("event", digestOf(`${event.event_id}\0forged`));
  const { data, ...head } = JSON.parse(event.body) as { data: object };
  const claim = forged.status === null ? {} : { status: forged.status };
  return {
    event_id,
    body: JSON.stringify({ ...head, id: event_id, type: forged.type, data: { ...data, ...claim } }),
  };
}
