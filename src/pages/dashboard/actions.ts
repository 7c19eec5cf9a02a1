import { ControlClient, type OperationCall } from "../../core/client/control-client.js";
import { payAmount } from "../../core/engine/commands/charge-commands.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { type ListedDelivery, webhookText } from "../../core/reports/delivery-text.js";

import { isRefusal, refuse, refuseInvalid, SandboxError } from "../../core/schema/refusals.js";
import { formatCount } from "../../core/schema/text-format.js";
import { INSTANT_PATTERN } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { DASHBOARD_RUNNER } from "../../server/control/control-operation.js";
import { parseJsonObject } from "../../server/http/body.js";
import { NOTICES, type OwnAction } from "./notices.js";
import { objectName } from "./object-names.js";
import { dashboardPath, type Notice } from "./page-context.js";

/** The notice to show and the page to redirect to, if not the current one. */
export interface ActionResult extends Notice {
  readonly to?: string;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** A submitted form: the fields of its pressed button and its own. */
class Submission {
  readonly fields: Fields;
  readonly namespace: Namespace;
  readonly client: ControlClient;

  constructor(fields: Fields, namespace: Namespace, fetch: (request: Request) => Promise<Response>) {
    this.fields = fields;
    this.namespace = namespace;
    this.client = new ControlClient({
      fetch: (path, init) => fetch(new Request(`http://sandbox${path}`, init)),
      namespace: namespace.name,
      runner: DASHBOARD_RUNNER,
    });
  }

  pathOf(view: string, id: string): string {
    return `${dashboardPath(this.namespace.name)}/${view}/${id}`;
  }
}

/**
 * Runs the action in the form's field `do`: an operation of the control API with fields of its input, such as
 * `transitionCharge?charge_id=ch_1&to=FAILED`, or an own action. Throws a SandboxError for a refusal.
 */
export async function runFormAction(
  namespace: Namespace,
  form: URLSearchParams,
  fetch: (request: Request) => Promise<Response>,
): Promise<ActionResult> {
  const { do: action = "", back: _back, namespace: _namespace, ...formFields } = filledFields(form);
  const [id = "", query = ""] = action.split("?");
  const fields: Fields = { ...formFields, ...filledFields(new URLSearchParams(query)) };
  const press = new Submission(fields, namespace, fetch);
  if (Object.hasOwn(OWN_ACTIONS, id)) return OWN_ACTIONS[id as OwnAction](press);
  if (!Object.hasOwn(NOTICES, id)) throw new UserError(`Unknown action “${id}”`);
  const { charge_id, withdrawal_id } = fields;
  const result = await press.client.run<object>(...([id, inputOf(fields)] as OperationCall));
  const subject = objectName(namespace, charge_id ?? withdrawal_id);
  return { text: NOTICES[id as keyof typeof NOTICES](result, subject, fields as Record<string, string>) };
}

/** Trims the fields and leaves out those that are empty. */
function filledFields(params: URLSearchParams): Record<string, string> {
  const fields = [...params].map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== ""));
}

/** Input of an operation. Fields are texts; `json` is a whole body, and `when` a duration or an instant. */
function inputOf({ events, enabled, json, when, ...fields }: Fields): object {
  return {
    ...fields,
    ...(events === undefined ? {} : { events: events.match(/[^\s,]+/g) ?? [] }),
    ...(enabled === undefined ? {} : { enabled: enabled === "true" }),
    ...(json === undefined ? {} : parseBody(json)),
    ...(when === undefined ? {} : INSTANT_PATTERN.test(when) ? { to: when } : { by: durationIn(when) }),
  };
}

function parseBody(text: string): object {
  const parsed = parseJsonObject({ text });
  if (isRefusal(parsed)) throw new SandboxError(parsed);
  return parsed.object;
}

/** `"+10 s"` → `"10s"`. */
function durationIn(text: string): string {
  return text.replace(/^\+|\s/g, "");
}

/** Snapshot taken before a reset, for Undo. */
const BEFORE_RESET = "before-reset";

/** A charge that a shop could have made. */
const EXAMPLE = {
  order: { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" },
  customer: {
    customer_email: "grace.hopper@example.com",
    customer_name: "Grace Hopper",
    phone_number: "+254700000001",
    metadata: { order_id: "A-1042" },
  },
};

const OWN_ACTIONS: Readonly<Record<OwnAction, (press: Submission) => Promise<ActionResult>>> = {
  reset: async ({ client, fields, namespace: { name } }) => {
    // The button names the namespace, so a stale page or a script cannot reset another namespace.
    if (fields.name !== name)
      throw new SandboxError(refuseInvalid({ name: `must be this namespace, ${name}` }));
    await client.run("createSnapshot", { name: BEFORE_RESET });
    await client.run("resetSandbox");
    return { text: `Namespace “${name}” reset (receivers and keys kept)`, undo: BEFORE_RESET };
  },
  redeliver: async (press) => {
    const { delivery_id = "" } = press.fields;
    const made = await press.client.run<{ items: ListedDelivery[] }>("redeliver", { delivery_id });
    return attempted(press, made.items);
  },
  retryDelivery: async (press) => {
    const { delivery_id = "" } = press.fields;
    return attempted(press, [await press.client.run<ListedDelivery>("retryDelivery", { delivery_id })]);
  },
  retryAll: async (press) => {
    const { client, fields } = press;
    const failing: ListedDelivery[] = [];
    for await (const page of client.pages<ListedDelivery>("listDeliveries", { ...fields, failing: 1 }))
      failing.push(...page);
    return attempted(
      press,
      await Promise.all(
        failing.map(({ delivery_id }) => client.run<ListedDelivery>("retryDelivery", { delivery_id })),
      ),
    );
  },
  make: (press) => pay(press, press.namespace.info.apiKey, EXAMPLE),
  again: async (press) => {
    const { fields, namespace } = press;
    const charge = namespace.engine.state.get("charges", fields.charge_id ?? "");
    if (charge === undefined) throw new SandboxError(refuse("NOT_FOUND", "Charge not found"));
    const { mode, payment_method, payment_rail, currency, metadata } = charge;
    const { customer_email, customer_name, phone_number, bank_account_number } = charge;
    const { apiKey, liveApiKey } = namespace.info;
    const pricing = { ...charge.pricing, amount: fields.amount ?? charge.pricing.amount };
    const order = {
      pricing,
      payment_method: payment_method ?? charge.offered_methods[0] ?? "",
      ...(payment_rail === null ? {} : { payment_rail }),
      ...(currency === pricing.base_currency ? {} : { to_currency: currency }),
    };
    const details = Object.entries({ customer_email, customer_name, phone_number, bank_account_number });
    const customer = { ...Object.fromEntries(details.filter(([, value]) => value !== null)), metadata };
    return pay(press, mode === "live" ? liveApiKey : apiKey, { order, customer });
  },
  payAmount: async ({ fields, namespace }) => {
    const { charge_id = "", amount = "" } = fields;
    const paid = namespace.execute(payAmount(charge_id, amount, "dashboard"));
    if (isRefusal(paid)) throw new SandboxError(paid);
    return { text: `${objectName(namespace, charge_id)} is ${paid.status}: ${paid.currency} ${amount} paid` };
  },
};

interface Payment {
  readonly order: Readonly<Record<string, unknown>>;
  readonly customer: object;
}

/** Creates a quote and a charge from it, as the app does. */
async function pay(press: Submission, key: string, { order, customer }: Payment): Promise<ActionResult> {
  const { scenario } = press.fields;
  const headers = {
    authorization: `Bearer ${key}`,
    ...(scenario === undefined ? {} : { "sandbox-scenario": scenario }),
  };
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await press.client.send("POST", `/api/v1/payments/${path}`, body, undefined, headers);
    const { error, ...result } = JSON.parse(await response.text());
    if (error !== undefined) throw new SandboxError(error);
    return result;
  };
  const { quote_id } = await post("quotes", order);
  const { to_currency: _quoted, ...checkout } = order;
  const { charge_id = "" } = await post("whitelabel", { ...checkout, ...customer, quote_id });
  return { text: `Charge ${charge_id} created`, to: press.pathOf("charges", charge_id) };
}

const MAX_WAIT_MS = 3_000;
const POLL_MS = 50;

/** Waits for the next attempts, and says how they ended; counts those of several deliveries. */
async function attempted(
  { client, namespace }: Submission,
  sent: readonly ListedDelivery[],
): Promise<ActionResult> {
  let waiting = sent;
  const ended: ListedDelivery[] = [];
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const now = await Promise.all(
      waiting.map(({ delivery_id }) => client.run<ListedDelivery>("getDelivery", { delivery_id })),
    );
    const isOver = waitedMs >= MAX_WAIT_MS;
    const hasEnded = (delivery: ListedDelivery, index: number) =>
      isOver || delivery.hold !== null || delivery.attempts.length > waiting[index]!.attempts.length;
    ended.push(...now.filter(hasEnded));
    waiting = waiting.filter((_, index) => !hasEnded(now[index]!, index));
    if (waiting.length === 0) break;
    await namespace.sleep(POLL_MS);
  }
  const delivered = ended.filter(({ status }) => status === "delivered").length;
  const isBad = delivered < ended.length && ended.some(({ hold }) => hold === null);
  const [only] = ended;
  if (ended.length === 1) return { text: webhookText({ ...only }, only!.type), isBad };
  return { text: `${formatCount(ended.length, "webhook")} sent: ${delivered} delivered`, isBad };
}
