import { anyGlobMatches } from "../../domain/glob.js";
import { triggerEvent } from "../../engine/commands/events.js";
import { eventView } from "../../engine/log-views.js";
import type { EventRecord } from "../../engine/records.js";
import { eventQuerySchema, triggerRequestSchema } from "../../schema/control-webhooks.js";
import { pageOf } from "../query.js";
import { controlOperation, listed, shown } from "./operation.js";

export const EVENTS = [
  controlOperation(
    {
      id: "listEvents",
      method: "GET",
      path: "/_sandbox/events",
      query: eventQuerySchema,
      reads: true,
      answer: "EventList",
      says: { summary: "List events", about: "The log of events, newest first." },
    },
    ({ namespace, query }) => {
      const { type, charge_id, mode } = query;
      const { state } = namespace.engine;
      const isMeant = (event: EventRecord) =>
        (type === undefined || anyGlobMatches(type, event.type)) &&
        (mode === undefined || event.mode === mode);
      if (charge_id !== undefined) return listed(state.eventsOf(charge_id).filter(isMeant), query, eventView);
      const { limit, offset } = pageOf(query);
      const { total, items } = state.found("events", isMeant, offset, limit);
      return { total, items: items.map(eventView) };
    },
  ),
  controlOperation(
    {
      id: "createEvent",
      method: "POST",
      path: "/_sandbox/events",
      body: triggerRequestSchema,
      answer: "TriggeredEvent",
      says: {
        summary: "Trigger an event",
        about:
          "An event that no status change caused: about an existing charge, or a sample that has the shape of one.",
        example: { type: "webhook.test", data: { hello: "app" } },
      },
    },
    ({ namespace, body, mode: keyMode }) => {
      const { type, charge_id, data, force, mode } = body;
      const trigger = triggerEvent({ type, mode: mode ?? keyMode, chargeId: charge_id, data, force });
      return shown(namespace.execute(trigger), (event) => ({
        ...eventView(event),
        deliveries: namespace.engine.state.deliveriesOf(event.event_id).length,
      }));
    },
  ),
];
