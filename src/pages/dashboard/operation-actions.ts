import type { ControlOperationId } from "../../core/client/operations.js";
import type { Delivery } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { matchText } from "../../core/reports/rule-text.js";
import { failureText } from "../../core/reports/trouble.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import type { FaultRule } from "../../core/schema/scenario-rules.js";
import { formatCount } from "../../core/schema/text-format.js";
import { INSTANT_PATTERN, parseDuration, readableDuration } from "../../core/schema/time.js";
import { receiverName } from "../../server/control/record-views.js";
import { parseJsonObject } from "../../server/http/body.js";
import { objectName } from "./object-names.js";

/** Fields of a form or button. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Fields of responses that notices mention. */
type Text = "url" | "status" | "currency" | "amount" | "name" | "from" | "to";
type Result = Readonly<Partial<Record<Text, string>>> & {
  readonly events?: readonly string[];
  readonly removed?: number;
  readonly fired_total?: number;
  readonly match?: FaultRule["match"];
};

interface OperationAction {
  /** Text shown after the call. */
  readonly notice: (
    result: Result & Partial<Delivery> & { readonly items?: readonly Delivery[] },
    fields: Fields,
    namespace: Namespace,
  ) => string | Promise<string>;
  /** Input of the operation. Default: the fields of the button and its form. */
  readonly input?: (fields: Fields) => object | Refusal;
}

/** Operations with a button or form on the dashboard. */
const OPERATION_ACTIONS = {
  advanceClock: {
    notice: ({ from = "", to = "", fired_total = 0 }) =>
      `Advanced ${readableDuration(Date.parse(to) - Date.parse(from))}: ${formatCount(fired_total, "step")} ran`,
    input: ({ value, ...fields }) => {
      if (value === undefined) return fields;
      const by = value.replace(/^\+|\s/g, "");
      if (parseDuration(by) !== undefined) return { by };
      return INSTANT_PATTERN.test(value)
        ? { to: value }
        : refuse("VALIDATION_ERROR", "Write 10m, 2d or 2026-12-01");
    },
  },
  setClock: {
    notice: (_, { mode }) => (mode === "manual" ? "The clock is frozen" : "The clock runs"),
  },
  transitionCharge: {
    notice: ({ status }, { charge_id, reason }, namespace) =>
      [`${objectName(namespace, charge_id)} is ${status}`, reason].filter(Boolean).join(": "),
  },
  advanceCharge: {
    notice: ({ status }, { charge_id }, namespace) =>
      `${objectName(namespace, charge_id)} is ${status}, by its own timeline`,
  },
  refundPart: {
    notice: ({ currency, amount }, { charge_id }, namespace) =>
      `${currency} ${amount} of ${objectName(namespace, charge_id)} refunded`,
  },
  chargeBack: {
    notice: ({ currency, amount }, { charge_id }, namespace) =>
      `${currency} ${amount} of ${objectName(namespace, charge_id)} charged back`,
  },
  bounceWithdrawal: {
    notice: (_, { withdrawal_id, reason }, namespace) =>
      [`${objectName(namespace, withdrawal_id)} was returned`, reason].filter(Boolean).join(": "),
  },
  fundBalance: { notice: ({ currency }, { amount }) => `${currency} ${amount} added` },
  setRates: {
    notice: (_, { currency, rate }) => `1 USD is ${rate} ${currency}`,
    input: ({ currency = "", rate }) => ({ rates: { [currency]: rate } }),
  },
  createWebhookEndpoint: {
    notice: ({ url, events = [] }) => `${url} receives ${events.join(", ")}`,
    input: ({ url, events = "", mode = "test" }) => ({ url, events: eventTypes(events), mode }),
  },
  updateWebhookEndpoint: {
    notice: ({ url, events = [] }, { enabled }) =>
      enabled === undefined
        ? `${url} receives ${events.join(", ")}`
        : `${url ?? "The receiver"} is ${enabled === "true" ? "on" : "off"}`,
    input: ({ events, enabled, ...fields }) => ({
      ...fields,
      ...(events === undefined ? {} : { events: eventTypes(events) }),
      ...(enabled === undefined ? {} : { enabled: enabled === "true" }),
    }),
  },
  createFault: {
    notice: ({ match }) => `Fault started for ${matchText({ match })}`,
    input: ({ rule = "" }) => parseJsonField("rule", rule),
  },
  deleteFault: { notice: faultsStopNotice },
  deleteFaults: { notice: faultsStopNotice },
  activateScenario: { notice: ({ name }) => `Scenario ${name} applies to everything new` },
  deactivateScenario: { notice: ({ name }) => `Scenario ${name} is off` },
  createSnapshot: { notice: ({ name }) => `Snapshot ${name} saved` },
  restoreSnapshot: {
    notice: (_, { name, undoes }) =>
      undoes === undefined
        ? `Snapshot ${name} restored`
        : `Undone: everything is as it was before the ${undoes}`,
    input: ({ name }) => ({ name }),
  },
  deleteSnapshot: { notice: ({ name }) => `Snapshot ${name} deleted` },
  createNamespace: { notice: ({ name }) => `Namespace ${name} created` },
  redeliver: { notice: ({ items = [] }, _, namespace) => attemptsText(namespace, items) },
  retryDelivery: { notice: (delivery, _, namespace) => attemptsText(namespace, [delivery as Delivery]) },
} satisfies { readonly [Id in ControlOperationId]?: OperationAction };

export type OperationName = keyof typeof OPERATION_ACTIONS;

export function findOperationAction(
  name: string,
): (OperationAction & { readonly id: OperationName }) | undefined {
  const id = name as OperationName;
  return Object.hasOwn(OPERATION_ACTIONS, id) ? { id, ...OPERATION_ACTIONS[id] } : undefined;
}

function faultsStopNotice({ removed = 0 }: Result): string {
  return `${formatCount(removed, "fault")} stopped`;
}

function eventTypes(text: string): readonly string[] {
  return text.match(/[^\s,]+/g) ?? ["*"];
}

export function parseJsonField(name: string, text: string): Record<string, unknown> | Refusal {
  const parsed = parseJsonObject({ text });
  return isRefusal(parsed)
    ? refuseInvalid({ [name]: parsed.details?.body ?? parsed.message })
    : parsed.object;
}

const MAX_WAIT_MS = 3_000;
const POLL_MS = 50;

/** Waits for the next attempts and says their results: `3 × 200, 1 × 500 out of order` for several deliveries. */
export async function attemptsText(
  namespace: Namespace,
  deliveries: readonly Pick<Delivery, "delivery_id" | "attempts">[],
): Promise<string> {
  const attempts = new Map(deliveries.map((delivery) => [delivery.delivery_id, delivery.attempts.length]));
  const current = () =>
    [...attempts.keys()].flatMap((id) => namespace.engine.state.get("deliveries", id) ?? []);
  const lastOf = (delivery: Delivery) => delivery.attempts.slice(attempts.get(delivery.delivery_id)).at(-1);
  const isWaiting = (one: Delivery) => lastOf(one) === undefined && namespace.findHold(one) === null;
  namespace.runDueTasks();
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS && current().some(isWaiting); waitedMs += POLL_MS)
    await namespace.sleep(POLL_MS);
  const results = current().map((delivery) => {
    const last = lastOf(delivery);
    const hold = namespace.findHold(delivery);
    if (last === undefined) return hold === null ? "no response yet" : `held: ${hold.reason}`;
    return delivery.status === "delivered" ? String(last.status) : failureText(last);
  });
  const [delivery] = current();
  if (delivery === undefined || results.length > 1) {
    const counts = [...new Set(results)].map(
      (text) => `${results.filter((one) => one === text).length} × ${text}`,
    );
    return `${formatCount(results.length, "webhook")} sent: ${counts.join(", ")}`;
  }
  const last = lastOf(delivery);
  const subject = `${delivery.event_type} to ${receiverName(namespace.engine.state.get("endpoints", delivery.webhook_id))}`;
  if (last === undefined) return `${subject} sent: ${results[0]}`;
  const result = delivery.status === "delivered" ? "delivered" : "failed again";
  return `${subject} ${result}: ${results[0]} in ${Math.round(last.duration_ms)} ms`;
}
