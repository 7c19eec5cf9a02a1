import { WITHDRAWAL_STATUS_RULES } from "../../core/domain/withdrawal.js";
import { settableStatuses } from "../../core/engine/look-ahead.js";
import type { Collections, Delivery, Task } from "../../core/engine/records.js";
import type { State } from "../../core/engine/state.js";
import { comesBefore, Heap } from "../../core/engine/task-queue.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { receiverName } from "../../core/reports/delivery-text.js";
import { orderOf } from "../../core/reports/list-columns.js";
import type { Mode } from "../../core/schema/common.js";
import { nextQuerySchema, taskQuerySchema } from "../../core/schema/control-log-requests.js";
import type { NextItem } from "../../core/schema/control-responses.js";
import { CHARGE_STATUS_TABLE } from "../../core/schema/statuses.js";
import { iso } from "../../core/schema/time.js";
import { limitAndOffset } from "../http/operation-row.js";
import { defineControlOperation, pageReply } from "./control-operation.js";
import { deliveriesOfObject } from "./deliveries.js";

export const TASK_OPERATIONS = [
  defineControlOperation({
    id: "listTasks",
    call: "GET /_sandbox/tasks",
    summary: "List scheduled tasks",
    description:
      "All scheduled tasks, earliest first: expiries, timelines, settlements, withdrawal steps and delivery attempts. Deliveries in flight or in a mailbox are no longer scheduled.",
    input: taskQuerySchema,
    runsDueTasks: true,
    output: "TaskList",
    run: ({ namespace: { engine }, input }) => {
      const { state } = engine;
      if (input.id === undefined) {
        const { limit, offset } = limitAndOffset(input);
        return {
          total: state.tables.tasks.size - state.tasks.inFlightCount,
          items: tasksDue(state.tasks, offset, offset + limit).map((task) => taskView(state, task)),
        };
      }
      const tasks = state.tasksOf(input.id).sort((a, b) => (comesBefore(a, b) ? -1 : 1));
      return pageReply(tasks, input, (task) => taskView(state, task));
    },
  }),
];

/** A slice of tasks, earliest first. Those after it are not put in order. */
function tasksDue(queue: { inOrder(): Iterable<Task> }, from: number, to: number): Task[] {
  const tasks: Task[] = [];
  for (const task of queue.inOrder()) {
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
    to: statusAfter(state, { kind, ref, step }),
    event_type: delivery?.event_type ?? null,
    webhook_id: delivery?.webhook_id ?? null,
  };
}

function statusAfter(
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

/** Text that sorts after every ISO time. */
const LATEST = "~";

export const NEXT_OPERATIONS = [
  defineControlOperation({
    id: "listNext",
    call: "GET /_sandbox/next",
    summary: "List what can happen next",
    description:
      "Scheduled tasks and deliveries in time order, deliveries that wait, and possible next statuses of charges and withdrawals.",
    input: nextQuerySchema,
    runsDueTasks: true,
    output: "NextList",
    run: ({ namespace, input }) => {
      const { state } = namespace.engine;
      const view = (item: PlannedItem) => withSubject(namespace, item);
      if (input.id !== undefined) return pageReply(nextOfObject(state, input.id), input, view);
      const { total, items } = nextPage(state, limitAndOffset(input), input.mode);
      return { total, items: items.map(view) };
    },
  }),
];

type PlannedItem = Pick<NextItem, "kind" | "id" | "at" | "what" | "to">;

function withSubject(namespace: Namespace, item: PlannedItem): NextItem {
  const { state } = namespace.engine;
  const delivery = item.kind === "delivery" ? state.get("deliveries", item.id) : undefined;
  const object = delivery === undefined ? item.id : delivery.object_id;
  const charge = state.get("charges", object ?? "");
  const payment = charge ?? state.get("withdrawals", object ?? "");
  const who =
    charge === undefined
      ? payment && "reference" in payment && payment.reference
      : (charge.customer_email ?? charge.customer_name);
  return {
    ...item,
    object,
    order: (charge && orderOf(charge)) ?? null,
    who: who || null,
    amount: payment?.amount ?? null,
    currency: payment?.currency ?? null,
    receiver: delivery === undefined ? null : receiverName(state.get("endpoints", delivery.webhook_id)),
    attempts: delivery?.attempts.length ?? 0,
    hold: delivery === undefined ? null : holdOf(namespace, delivery),
  };
}

function holdOf(namespace: Namespace, delivery: Delivery): string | null {
  const isOff = namespace.engine.state.get("endpoints", delivery.webhook_id)?.enabled === false;
  return isOff ? "its receiver is off" : (namespace.findHold(delivery)?.reason ?? null);
}

/** Lists tasks by time, then unscheduled deliveries, then possible transitions. Makes no views beyond the page. */
function nextPage(state: State, { limit, offset }: { limit: number; offset: number }, mode?: Mode) {
  const end = offset + limit;
  const isInMode = (record: { readonly mode: Mode } | undefined) =>
    mode === undefined || record?.mode === mode;
  const { queue, size, attempts } = scheduledTasks(state, mode);
  const items: PlannedItem[] = [];
  let counted = 0;
  const take = (total: number, part: (from: number, to: number) => PlannedItem[]) => {
    const from = Math.max(offset - counted, 0);
    const to = Math.min(end - counted, total);
    if (from < to) items.push(...part(from, to));
    counted += total;
  };
  take(size, (from, to) => tasksDue(queue, from, to).map((task) => nextTaskView(state, task)));
  const isWaitingInMode = (delivery: Delivery) => isWaiting(delivery) && isInMode(delivery);
  take(state.pageOfKinds("deliveries", isWaitingInMode, 0, 0).total - attempts, (from, to) =>
    state
      .allOfKinds("deliveries", isWaitingInMode)
      .filter((delivery) => !isQueued(state, delivery))
      .reverse()
      .slice(from, to)
      .map(nextDeliveryView),
  );
  const missing = Math.max(end - counted, 0);
  const charges = state.pageOfKinds("charges", (one) => isOpenCharge(one) && isInMode(one), 0, missing);
  const withdrawals = state.pageOfKinds(
    "withdrawals",
    (one) => isOpenWithdrawal(one) && isInMode(one),
    0,
    missing,
  );
  take(charges.total + withdrawals.total, (from, to) =>
    transitionViews(state, charges.items, withdrawals.items).slice(from, to),
  );
  return { total: counted, items };
}

/** The scheduled tasks, of a mode or of both: how many, and how many of them are attempts. */
function scheduledTasks(state: State, mode?: Mode) {
  if (mode === undefined) {
    const size = state.tables.tasks.size - state.tasks.inFlightCount;
    return { queue: state.tasks, size, attempts: size - state.plannedTaskCount };
  }
  const queue = new Heap(comesBefore);
  let attempts = 0;
  for (const task of state.tables.tasks.values()) {
    if (state.tasks.isInFlight(task) || ownerOf(state, task)?.mode !== mode) continue;
    queue.push(task);
    if (task.kind === "attempt") attempts++;
  }
  return { queue, size: queue.size, attempts };
}

function ownerOf(state: State, { kind, ref }: Task) {
  if (kind === "attempt") return state.get("deliveries", ref);
  return state.get(kind === "withdrawal" ? "withdrawals" : "charges", ref);
}

function nextOfObject(state: State, id: string): PlannedItem[] {
  // The deliveries of attempts are listed instead.
  const tasks = state.tasksOf(id).filter(({ kind }) => kind !== "attempt");
  const charge = state.get("charges", id);
  const withdrawal = state.get("withdrawals", id);
  return [
    ...[
      ...tasks.sort((a, b) => (comesBefore(a, b) ? -1 : 1)).map((task) => nextTaskView(state, task)),
      ...deliveriesOfObject(state, id).filter(isWaiting).reverse().map(nextDeliveryView),
    ].sort((a, b) => ((a.at ?? LATEST) < (b.at ?? LATEST) ? -1 : 1)),
    ...transitionViews(
      state,
      charge === undefined ? [] : [charge],
      withdrawal === undefined ? [] : [withdrawal],
    ).filter(({ to }) => to.length > 0),
  ];
}

const isWaiting = ({ status }: Delivery) => status === "pending";

export function nextOfWithdrawal({ status }: Collections["withdrawals"]) {
  return WITHDRAWAL_STATUS_RULES.statuses[status].next;
}

/** Also true for a charge that was charged back, which no status may follow. */
const isOpenCharge = ({ status }: Collections["charges"]) => CHARGE_STATUS_TABLE[status].next.length > 0;
const isOpenWithdrawal = (withdrawal: Collections["withdrawals"]) => nextOfWithdrawal(withdrawal).length > 0;

function isQueued(state: State, { task }: Delivery): boolean {
  const planned = task === null ? undefined : state.get("tasks", task);
  return planned !== undefined && !state.tasks.isInFlight(planned);
}

function nextTaskView(state: State, task: Task): PlannedItem {
  const { kind, due_ms, ref } = task;
  const delivery = kind === "attempt" ? state.get("deliveries", ref) : undefined;
  if (delivery !== undefined) return nextDeliveryView(delivery);
  const to = statusAfter(state, task);
  return { kind: "task", id: ref, at: iso(due_ms), what: kind, to: to === null ? [] : [to] };
}

function nextDeliveryView({ delivery_id, event_type, next_attempt_at }: Delivery): PlannedItem {
  return { kind: "delivery", id: delivery_id, at: next_attempt_at, what: event_type, to: [] };
}

/** Possible transitions, newest record first. */
function transitionViews(
  state: State,
  charges: readonly Collections["charges"][],
  withdrawals: readonly Collections["withdrawals"][],
): PlannedItem[] {
  const transition = (
    id: string,
    { status, seq }: { status: string; seq: number },
    to: readonly string[],
  ) => ({
    seq,
    view: { kind: "transition" as const, id, at: null, what: status, to },
  });
  return [
    ...charges.map((charge) => transition(charge.charge_id, charge, settableStatuses(state, charge))),
    ...withdrawals.map((one) => transition(one.withdrawal_id, one, nextOfWithdrawal(one))),
  ]
    .sort((a, b) => b.seq - a.seq)
    .map(({ view }) => view);
}
