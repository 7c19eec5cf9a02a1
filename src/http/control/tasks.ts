import type { Task } from "../../engine/records.js";
import type { State } from "../../engine/state.js";
import { comesBefore } from "../../engine/tasks.js";
import { nextQuerySchema } from "../../schema/control-webhooks.js";
import { iso } from "../../schema/time.js";
import { pageOf } from "../query.js";
import { controlOperation, listed } from "./operation.js";

export const TASKS = [
  controlOperation(
    {
      id: "listTasks",
      method: "GET",
      path: "/_sandbox/tasks",
      query: nextQuerySchema,
      reads: true,
      answer: "TaskList",
      says: {
        summary: "List scheduled tasks",
        about:
          "All scheduled tasks, earliest first: expiries, timelines, settlements, withdrawal steps and delivery attempts. Deliveries in flight or in a mailbox are no longer scheduled.",
      },
    },
    ({ namespace: { engine }, query }) => {
      const { state } = engine;
      if (query.id === undefined) {
        const { limit, offset } = pageOf(query);
        return {
          total: state.tables.tasks.size - state.tasks.underWay,
          items: tasksDue(state, offset, offset + limit).map((task) => taskView(state, task)),
        };
      }
      const about = state.tasksOf(query.id).sort((a, b) => (comesBefore(a, b) ? -1 : 1));
      return listed(about, query, (task) => taskView(state, task));
    },
  ),
];

/** The tasks from one place to another, in the order they are due. */
export function tasksDue(state: State, from: number, to: number): Task[] {
  const tasks: Task[] = [];
  for (const task of state.tasks.inOrder()) {
    if (tasks.length === to) break;
    tasks.push(task);
  }
  return tasks.slice(from);
}

function taskView(state: State, { task_id, kind, due_ms, ref, step }: Task) {
  const delivery = kind === "attempt" ? state.get("deliveries", ref) : undefined;
  return {
    task_id,
    kind,
    due_at: iso(due_ms),
    id: ref,
    to: becomes(state, { kind, ref, step }),
    event_type: delivery?.event_type ?? null,
    webhook_id: delivery?.webhook_id ?? null,
  };
}

/** The status that a task leads to, where it leads to one. */
export function becomes(
  state: State,
  { kind, ref, step = 0 }: Pick<Task, "kind" | "ref" | "step">,
): string | null {
  switch (kind) {
    case "expire":
      return "EXPIRED";
    case "timeline":
      return state.get("charges", ref)?.timeline[step]?.to ?? null;
    case "withdrawal":
      return state.get("withdrawals", ref)?.timeline[step]?.to ?? null;
    default:
      return null;
  }
}
