import { resendWithData } from "../../core/engine/commands/event-commands.js";
import { SIGNATURE_VARIANTS } from "../../core/engine/event-emission.js";
import type { Delivery } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { parseDuration } from "../../core/schema/duration.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "../../core/schema/receiver-url.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { isFailing } from "../../server/control/record-views.js";
import { bodyTooLargeRefusal, MAX_BODY_BYTES, parseJsonObject } from "../../server/http/body.js";
import {
  type ActionResult,
  callControlApi,
  type DashboardAction,
  type DashboardActions,
  type FormSubmission,
} from "./api-calls.js";
import { APP_CALL_ACTIONS } from "./app-calls.js";
import { findNewestDeliveries, lastAttemptResult } from "./attention.js";
import { formatCount, readableDuration } from "./components.js";
import { dashboardUrl } from "./page-context.js";
import { REPORT_ACTIONS } from "./report-actions.js";
import { presetFault } from "./views/faults-view.js";

/** Fields of control responses that notices mention. */
interface Result {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly status?: string;
  readonly currency?: string;
  readonly name?: string;
  readonly removed?: number;
  readonly from?: string;
  readonly to?: string;
  readonly fired_total?: number;
  readonly match?: { readonly operation?: unknown };
}

/** Control API call of a button. In `line`, `:id` stands for the action's first argument. */
type Call = readonly [
  line: string,
  notice: (result: Result, press: FormSubmission) => string,
  body?: (press: FormSubmission) => object | Refusal,
];

const advanceNotice = ({ from = "", to = "", fired_total = 0 }: Result): string =>
  `Advanced ${readableDuration(Date.parse(to) - Date.parse(from))}: ${formatCount(fired_total, "step")} ran`;
const receiverNotice = ({ url, events = [] }: Result): string => `${url} receives ${events.join(", ")}`;
const faultsStopNotice = ({ removed = 0 }: Result): string => `${formatCount(removed, "fault")} stopped`;
const faultNotice = ({ match }: Result): string => `Fault started for ${match?.operation ?? "any call"}`;
const nameBody = ({ field }: FormSubmission) => ({ name: field("name") });

const TRANSITION: Call = [
  "POST /charges/:id/transition",
  ({ status }, { args: [id], field }) => [`${id} is ${status}`, field("reason")].filter(Boolean).join(": "),
  ({ args: [, to], field }) => ({ to: to ?? field("to"), reason: field("reason") || "from the dashboard" }),
];

const CALLS: Readonly<Record<string, Call>> = {
  advance: ["POST /clock/advance", advanceNotice, ({ args: [by] }) => ({ by })],
  jump: [
    "POST /clock/advance",
    advanceNotice,
    ({ field }) => ({ [parseDuration(field("value")) === undefined ? "to" : "by"]: field("value") }),
  ],
  until: [
    "POST /clock/advance",
    (result) => (result.fired_total === 0 ? "Nothing is due" : advanceNotice(result)),
    () => ({ until: "next" }),
  ],
  clock: [
    "PUT /clock",
    (_, { args: [mode] }) => (mode === "manual" ? "The clock is frozen" : "The clock runs"),
    ({ args: [mode] }) => ({ mode }),
  ],
  charge: TRANSITION,
  move: TRANSITION,
  own: [
    "POST /charges/:id/advance",
    ({ status }, { args: [id] }) => `${id} is ${status}, by its own timeline`,
    ({ args: [, until] }) => ({ until }),
  ],
  withdrawal: [
    "POST /withdrawals/:id/transition",
    ({ status }, { args: [id] }) => `${id} is ${status}`,
    ({ args: [, to] }) => ({ to }),
  ],
  fund: [
    "POST /balances",
    ({ currency }, { field }) => `${currency} ${field("amount")} added`,
    ({ args: [mode = "test"], field }) => ({ currency: field("currency"), amount: field("amount"), mode }),
  ],
  rate: [
    "PUT /rates",
    (_, { field }) => `1 USD is ${field("rate")} ${field("currency")}`,
    ({ field }) => ({ rates: { [field("currency")]: field("rate") } }),
  ],
  receiver: [
    "POST /webhook-endpoints",
    receiverNotice,
    (press) => ({
      url: press.field("url"),
      events: eventTypes(press),
      mode: press.field("mode") === "live" ? "live" : "test",
    }),
  ],
  aim: [
    "PATCH /webhook-endpoints/:id",
    receiverNotice,
    (press) => ({
      url: press.field("url"),
      ...(press.form.has("events") ? { events: eventTypes(press) } : {}),
    }),
  ],
  enable: [
    "PATCH /webhook-endpoints/:id",
    (_, { args: [, on] }) => `The receiver is ${on === "on" ? "on" : "off"}`,
    ({ args: [, on] }) => ({ enabled: on === "on" }),
  ],
  fault: ["POST /faults", faultNotice, ({ form }) => parseObjectField(form, "rule")],
  "fault-ready": [
    "POST /faults",
    faultNotice,
    ({ namespace, args: [name = ""] }) =>
      presetFault(namespace, name) ?? refuse("NOT_FOUND", `There is no fault "${name}"`),
  ],
  "fault-off": ["DELETE /faults/:id", faultsStopNotice],
  "faults-off": ["DELETE /faults", faultsStopNotice],
  activate: ["POST /scenarios/:id/activate", ({ name }) => `Scenario ${name} applies to everything new`],
  deactivate: ["POST /scenarios/:id/deactivate", ({ name }) => `Scenario ${name} is off`],
  save: ["POST /snapshots", ({ name }) => `Snapshot ${name} saved`, nameBody],
  restore: ["POST /snapshots/:id/restore", (_, { args: [name] }) => `Snapshot ${name} restored`],
  undo: ["POST /snapshots/:id/restore", () => "Undone: everything is as it was before the reset"],
  forget: ["DELETE /snapshots/:id", ({ name }) => `Snapshot ${name} deleted`],
  namespace: ["POST /namespaces", ({ name }) => `Namespace ${name} created`, nameBody],
};

function actionOf([line, notice, body]: Call): DashboardAction {
  const [method = "", path = ""] = line.split(" ");
  return async (press) => {
    const json = body?.(press);
    if (isRefusal(json)) return json;
    const result = await callControlApi<Result>(press, method, path.replace(":id", idSegment(press)), json);
    return isRefusal(result) ? result : { text: notice(result, press) };
  };
}

const idSegment = ({ args: [id = ""] }: FormSubmission): string => encodeURIComponent(id);

function eventTypes({ field }: FormSubmission): string[] {
  const events = field("events").match(/[^\s,]+/g);
  return events ?? ["*"];
}

function parseObjectField(form: URLSearchParams, name: string): Record<string, unknown> | Refusal {
  const parsed = parseJsonObject({ text: form.get(name) ?? "" });
  return isRefusal(parsed)
    ? refuseInvalid({ [name]: parsed.details?.body ?? parsed.message })
    : parsed.object;
}

/** Snapshot taken before a reset, for Undo. */
const BEFORE_RESET = "before-reset";

/** Maximum number of deliveries that "Retry all" retries. */
const MAX_RETRIED = 1_000;

const ACTIONS: DashboardActions = {
  ...Object.fromEntries(Object.entries(CALLS).map(([name, call]) => [name, actionOf(call)])),
  ...REPORT_ACTIONS,
  ...APP_CALL_ACTIONS,
  to: async (press) => {
    const [to = ""] = press.args;
    // The page may be old, so the time on its button may have passed.
    if (Date.parse(to) < press.namespace.nowMs()) return { text: "That time has passed" };
    const result = await callControlApi<Result>(press, "POST", "/clock/advance", { to });
    if (isRefusal(result)) return result;
    return { text: `Advanced to ${to.slice(11, 19)}: ${formatCount(result.fired_total ?? 0, "step")} ran` };
  },
  reset: async (press) => {
    const { name } = press.namespace;
    // The button's value names the namespace, so a stale page or a script cannot reset another namespace.
    if (press.args[0] !== name) return refuseInvalid({ value: `must name this namespace, ${name}` });
    const saved = await callControlApi(press, "POST", "/snapshots", { name: BEFORE_RESET });
    const reset = await callControlApi(press, "POST", "/reset", {});
    if (isRefusal(reset)) return reset;
    const text = `Namespace “${name}” reset (receivers and keys kept)`;
    return isRefusal(saved) ? { text } : { text, undo: BEFORE_RESET };
  },
  redeliver: async (press) => {
    const path = `/deliveries/${idSegment(press)}/redeliver`;
    const made = await callControlApi<{ items: Delivery[] }>(press, "POST", path, {});
    return isRefusal(made) ? made : { text: await attemptsText(press.namespace, made.items) };
  },
  retry: async (press) => {
    const delivery = await callControlApi<Delivery>(
      press,
      "POST",
      `/deliveries/${idSegment(press)}/retry`,
      {},
    );
    return isRefusal(delivery) ? delivery : { text: await attemptsText(press.namespace, [delivery]) };
  },
  "retry-all": async (press) => {
    press.namespace.runDueTasks();
    let retried = 0;
    for (const { delivery_id } of findNewestDeliveries(press, press.args[0] ?? "", isFailing, MAX_RETRIED)
      .items)
      if (!isRefusal(await callControlApi(press, "POST", `/deliveries/${delivery_id}/retry`, {}))) retried++;
    return { text: `${retried} ${retried === 1 ? "delivery" : "deliveries"} tried again` };
  },
  resend: async ({ namespace, args: [id = ""], form, field }) => {
    if (Buffer.byteLength(form.get("data") ?? "") > MAX_BODY_BYTES) return bodyTooLargeRefusal();
    const data = parseObjectField(form, "data");
    if (isRefusal(data)) return data;
    const times = Number(form.get("times") ?? 1);
    if (!Number.isInteger(times) || times < 1 || times > 100)
      return refuseInvalid({ times: "must be 1 to 100" });
    const signing = SIGNATURE_VARIANTS.find((signature) => signature === (form.get("sign") ?? "right"));
    if (signing === undefined)
      return refuseInvalid({ sign: `must be one of: ${SIGNATURE_VARIANTS.join(", ")}` });
    const toUrl = field("url") === "" ? undefined : normalizeWebhookUrl(field("url"));
    if (field("url") !== "" && toUrl === undefined) return refuseInvalid({ url: WEBHOOK_URL_MESSAGE });
    const made = namespace.execute(resendWithData(id, { data, times, signatureVariant: signing, toUrl }));
    if (isRefusal(made)) return made;
    const text = await attemptsText(namespace, made);
    return { text, to: `${dashboardUrl(namespace.name)}/webhooks/${made.at(-1)!.delivery_id}` };
  },
};

const MAX_WAIT_MS = 3_000;
const POLL_MS = 50;

/** Waits for the next attempts and summarizes the results, such as `3 × 200, 1 × 500` for several deliveries. */
async function attemptsText(
  namespace: Namespace,
  deliveries: readonly Pick<Delivery, "delivery_id" | "attempts">[],
): Promise<string> {
  const attempts = new Map(deliveries.map((delivery) => [delivery.delivery_id, delivery.attempts.length]));
  const current = () =>
    [...attempts.keys()].flatMap((id) => namespace.engine.state.get("deliveries", id) ?? []);
  const isTried = (delivery: Delivery) => delivery.attempts.length > attempts.get(delivery.delivery_id)!;
  const isWaiting = (pending: Delivery) => !isTried(pending) && namespace.findHold(pending) === null;
  namespace.runDueTasks();
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS && current().some(isWaiting); waitedMs += POLL_MS)
    await namespace.sleep(POLL_MS);
  const [delivery, ...others] = current();
  if (others.length > 0) {
    const counts = new Map<string, number>();
    for (const each of [delivery!, ...others])
      counts.set(lastAttemptResult(each), (counts.get(lastAttemptResult(each)) ?? 0) + 1);
    const responses = [...counts].map(([response, count]) => `${count} × ${response}`);
    return `Sent ${attempts.size} times: ${responses.join(", ")}`;
  }
  if (delivery === undefined || !isTried(delivery))
    return (delivery && namespace.findHold(delivery)?.reason) ?? "Sent; no response yet";
  const { status, error, duration_ms } = delivery.attempts.at(-1)!;
  const response = `${status ?? error} in ${Math.round(duration_ms)} ms`;
  return `${delivery.status === "delivered" ? "Delivered" : "Failed again"}: ${response}`;
}

/** Runs the action named in the form's `do` field. */
export async function runFormAction(
  press: Omit<FormSubmission, "args" | "field">,
): Promise<ActionResult | Refusal> {
  const { form } = press;
  const [name = "", ...words] = (form.get("do") ?? "").trim().split(" ");
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) return refuse("VALIDATION_ERROR", `Unknown action “${name}”`);
  return action({ ...press, args: words, field: (key) => form.get(key)?.trim() ?? "" });
}
