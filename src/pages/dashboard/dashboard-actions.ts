import type { OperationCall } from "../../core/client/control-client.js";
import { resendWithData } from "../../core/engine/commands/event-commands.js";
import { SIGNATURE_VARIANTS } from "../../core/engine/event-emission.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "../../core/schema/receiver-url.js";
import { isRefusal, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { isFailing } from "../../server/control/record-views.js";
import { bodyTooLargeRefusal, MAX_BODY_BYTES } from "../../server/http/body.js";
import { type ActionResult, type DashboardAction, type FormSubmission, runOperation } from "./api-calls.js";
import { APP_CALL_ACTIONS } from "./app-calls.js";
import { findNewestDeliveries } from "./attention.js";
import { formatCount } from "./components.js";
import { attemptsText, findOperationAction, parseJsonField } from "./operation-actions.js";
import { dashboardUrl, type Fields, type OwnAction } from "./page-context.js";
import { REPORT_ACTIONS } from "./report-actions.js";

/** Snapshot taken before a reset, for Undo. */
const BEFORE_RESET = "before-reset";

/** Maximum number of deliveries that "Retry all" retries. */
const MAX_RETRIED = 1_000;

/** Actions that are more than one operation, or none of the control API. */
const OWN_ACTIONS: Readonly<Record<OwnAction, DashboardAction>> = {
  ...REPORT_ACTIONS,
  ...APP_CALL_ACTIONS,
  advanceTo: async (press) => {
    const { to = "" } = press.fields;
    // The page may be old, so the time on its button may have passed.
    if (Date.parse(to) < press.namespace.nowMs()) return { text: "That time has passed" };
    const result = await runOperation<{ fired_total: number }>(press, "advanceClock", { to });
    if (isRefusal(result)) return result;
    return { text: `Advanced to ${to.slice(11, 19)}: ${formatCount(result.fired_total, "step")} ran` };
  },
  reset: async (press) => {
    const { name } = press.namespace;
    // The button names the namespace, so a stale page or a script cannot reset another namespace.
    if (press.fields.namespace !== name) return refuseInvalid({ value: `must name this namespace, ${name}` });
    const saved = await runOperation(press, "createSnapshot", { name: BEFORE_RESET });
    const reset = await runOperation(press, "resetSandbox");
    if (isRefusal(reset)) return reset;
    const text = `Namespace “${name}” reset (receivers and keys kept)`;
    return isRefusal(saved) ? { text } : { text, undo: BEFORE_RESET };
  },
  retryAll: async (press) => {
    press.namespace.runDueTasks();
    let retried = 0;
    const { items } = findNewestDeliveries(press, press.fields.webhook_id ?? "", isFailing, MAX_RETRIED);
    for (const { delivery_id } of items)
      if (!isRefusal(await runOperation(press, "retryDelivery", { delivery_id }))) retried++;
    return { text: `${retried} ${retried === 1 ? "delivery" : "deliveries"} tried again` };
  },
  resend: async ({ namespace, form, fields }) => {
    const { delivery_id = "", sign = "right", url = "" } = fields;
    if (Buffer.byteLength(form.get("data") ?? "") > MAX_BODY_BYTES) return bodyTooLargeRefusal();
    const data = parseJsonField("data", form.get("data") ?? "");
    if (isRefusal(data)) return data;
    const times = Number(fields.times ?? 1);
    if (!Number.isInteger(times) || times < 1 || times > 100)
      return refuseInvalid({ times: "must be 1 to 100" });
    const signatureVariant = SIGNATURE_VARIANTS.find((signature) => signature === sign);
    if (signatureVariant === undefined)
      return refuseInvalid({ sign: `must be one of: ${SIGNATURE_VARIANTS.join(", ")}` });
    const toUrl = url === "" ? undefined : normalizeWebhookUrl(url);
    if (url !== "" && toUrl === undefined) return refuseInvalid({ url: WEBHOOK_URL_MESSAGE });
    const made = namespace.execute(resendWithData(delivery_id, { data, times, signatureVariant, toUrl }));
    if (isRefusal(made)) return made;
    const text = await attemptsText(namespace, made);
    return { text, to: `${dashboardUrl(namespace.name)}/webhooks/${made.at(-1)!.delivery_id}` };
  },
};

/** Runs the action in the form's field `do`, such as `transitionCharge?charge_id=ch_1&to=FAILED`. */
export async function runFormAction(press: Omit<FormSubmission, "fields">): Promise<ActionResult | Refusal> {
  const { do: action = "", back: _back, namespace: _namespace, ...formFields } = trimmedFields(press.form);
  const [name = "", query = ""] = action.split("?");
  const fields = { ...formFields, ...trimmedFields(new URLSearchParams(query)) };
  const own = Object.hasOwn(OWN_ACTIONS, name) ? OWN_ACTIONS[name as OwnAction] : undefined;
  if (own !== undefined) return own({ ...press, fields });
  const operation = findOperationAction(name);
  if (operation === undefined) return refuse("VALIDATION_ERROR", `Unknown action “${name}”`);
  const { id, notice, input } = operation;
  const sent = input === undefined ? fields : input(fields, press.namespace);
  if (isRefusal(sent)) return sent;
  const result = await runOperation(press, ...([id, sent] as OperationCall));
  return isRefusal(result) ? result : { text: await notice(result, fields, press.namespace) };
}

function trimmedFields(params: URLSearchParams): Fields {
  return Object.fromEntries([...params].map(([name, value]) => [name, value.trim()]));
}
