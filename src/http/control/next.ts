import { CHARGE_RULES } from "../../domain/charge.js";
import { WITHDRAWAL_RULES } from "../../domain/withdrawal.js";
import { comesBefore } from "../../engine/tasks.js";
import { nextQuerySchema } from "../../schema/control-webhooks.js";
import { iso } from "../../schema/time.js";
import { controlOperation, listed } from "./operation.js";

export const NEXT = [
  controlOperation(
    {
      id: "listNext",
      method: "GET",
      path: "/_sandbox/next",
      query: nextQuerySchema,
      reads: true,
      answer: "NextList",
      says: {
        summary: "List what may happen now",
        about:
          "What is planned, with its time and in its order; deliveries that wait; and what may become of charges and withdrawals, newest first.",
      },
    },
    ({ namespace: { engine }, query }) => {
      const { tables } = engine.state;
      const isMeant = (id: string | null) => query.id === undefined || query.id === id;
      const tasks = [...tables.tasks.values()]
        .filter(({ kind, ref }) => kind !== "attempt" && isMeant(ref))
        .sort((a, b) => (comesBefore(a, b) ? -1 : 1))
        .map(({ kind, due_ms, ref }) => ({ kind: "task", id: ref, at: iso(due_ms), what: kind, to: [] }));
      const deliveries = [...tables.deliveries.values()]
        .filter(({ status, object_id }) => status === "pending" && isMeant(object_id))
        .map(({ delivery_id, event_type, next_attempt_at }) => ({
          kind: "delivery",
          id: delivery_id,
          at: next_attempt_at,
          what: event_type,
          to: [],
        }));
      const moves = [
        ...[...tables.charges.values()].map(({ charge_id: id, status, seq }) => ({
          ...{ id, status, seq },
          to: CHARGE_RULES.statuses[status].next,
        })),
        ...[...tables.withdrawals.values()].map(({ withdrawal_id: id, status, seq }) => ({
          ...{ id, status, seq },
          to: WITHDRAWAL_RULES.statuses[status].next,
        })),
      ]
        .filter(({ id, to }) => to.length > 0 && isMeant(id))
        .sort((a, b) => b.seq - a.seq)
        .map(({ id, status, to }) => ({ kind: "transition", id, at: null, what: status, to }));
      return listed([...tasks, ...deliveries, ...moves], query);
    },
  ),
];
