import { anyGlobMatches } from "../../domain/glob.js";
import { triggerEvent } from "../../engine/commands/events.js";
import { eventView } from "../../engine/log-views.js";
import { eventQuerySchema, triggerRequestSchema } from "../../schema/control.js";
import { controlOperation, listed, shown } from "./operation.js";

export const EVENTS = [
  controlOperation(
    { id: "listEvents", method: "GET", path: "/_sandbox/events", query: eventQuerySchema, reads: true },
    ({ namespace, query }) => {
      const { type, charge_id, mode } = query;
      const { state } = namespace.engine;
      const all =
        charge_id === undefined
          ? state.page("events", "events", 0, state.count("events"))
          : state.eventsOf(charge_id);
      const found = all.filter(
        (event) =>
          (type === undefined || anyGlobMatches(type, event.type)) &&
          (mode === undefined || event.mode === mode),
      );
      return listed(found, query, eventView);
    },
  ),
  /** A new event, for an existing charge or a sample, and how many deliveries of it there are. */
  controlOperation(
    { id: "createEvent", method: "POST", path: "/_sandbox/events", body: triggerRequestSchema },
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
