// Diagrams of docs/diagrams.md: states from their tables, sequences from what a sandbox does.
import { table } from "./markdown.mjs";

/** Marker → diagram or table. */
export async function diagrams(source) {
  const schedule = source.DEFAULT_SETTINGS.retry_schedule_ms;
  return {
    charge: objectStates(source.CHARGE_STATUS_RULES),
    withdrawal: objectStates(source.WITHDRAWAL_STATUS_RULES),
    delivery: deliveryStates(source, schedule),
    schedule: table(
      ["attempt", "time after the one before"],
      [["1", "at once"], ...schedule.map((ms, index) => [String(index + 2), spanOf(ms)])],
    ),
    payin: await sequence(source, pay),
    payout: await sequence(source, payOut),
    // The app is down when the payment's webhook comes, and at the next attempt.
    retry: await sequence(source, pay, [200, 200, 503, 503, 200]),
  };
}

const mermaid = (kind, lines) => ["```mermaid", kind, ...lines.map((line) => `  ${line}`), "```"].join("\n");

function states(first, arrows) {
  const lines = arrows.map(
    ([from, to, label]) => `${from} --> ${to}${label === undefined ? "" : ` : ${label}`}`,
  );
  return mermaid("stateDiagram-v2", [`[*] --> ${first}`, ...lines]);
}

function objectStates({ first, statuses }) {
  return states(
    first,
    Object.entries(statuses).flatMap(([from, { next }]) => next.map((to) => [from, to])),
  );
}

/** Status of a delivery after a verdict. */
const AFTER = { delivered: "delivered", retry: "pending", give_up: "failed", disable: "failed" };

/** Transitions of a delivery by the responses to it; deletion and manual retry have other sources. */
function deliveryStates({ decideRetry, deliveryStatusSchema }, schedule) {
  const after = (status, attempts) =>
    AFTER[decideRetry({ status, retryAfterMs: null }, attempts, schedule).next];
  const last = schedule.length + 1;
  const arrows = [
    ["pending", after(200, 1), "2xx"],
    ["pending", after(500, 1), "anything else, or no response"],
    ["pending", after(500, last), `attempt ${last} failed`],
    ["pending", after(410, 1), "410 (disables the endpoint)"],
    ["pending", "dropped", "endpoint deleted or disabled"],
    ["failed", "pending", "webhook retry"],
  ];
  const drawn = new Set(arrows.flat());
  const missing = deliveryStatusSchema.options.filter((status) => !drawn.has(status));
  if (missing.length > 0) throw new Error(`the diagram of a delivery lacks ${missing.join(", ")}`);
  return states("pending", arrows);
}

function spanOf(ms) {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
}

const START = "2026-01-31T09:00:00.000Z";
const PHONE = "+254700000001";

async function pay(call) {
  const order = {
    pricing: { base_currency: "KES", amount: "500.00" },
    payment_method: "mobile_money",
  };
  const { quote_id } = await call("POST", "/api/v1/payments/quotes", order);
  const customer = { customer_email: "ada@shop.test", phone_number: PHONE };
  await call("POST", "/api/v1/payments/whitelabel", { quote_id, ...order, ...customer });
}

async function payOut(call) {
  await call("POST", "/_sandbox/balances", { currency: "KES", amount: "5000.00" });
  await call("GET", "/api/v1/accounts/balances");
  const wallet = {
    type: "mobile_money",
    currency: "KES",
    phone_number: PHONE,
    provider: "simba_pesa",
  };
  const { destination_id } = await call("POST", "/api/v1/payouts/destinations", wallet);
  await call("POST", "/api/v1/payouts/withdrawals", {
    destination_id,
    amount: "1500.00",
    currency: "KES",
  });
}

/**
 * What happens in a sandbox, in order.
 *
 * @param act makes the app's calls
 * @param responses the app's statuses to webhooks, the last of them from then on
 */
async function sequence({ createSandbox }, act, responses = [200]) {
  const sandbox = await createSandbox({ clock: "manual", startTime: START });
  try {
    let received = 0;
    await sandbox.onWebhook(() => responses[Math.min(received++, responses.length - 1)]);
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
    await act(async (method, path, body) => {
      const response = await sandbox.fetch(path, { method, headers, body: body && JSON.stringify(body) });
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
      return response.json();
    });
    await sandbox.advance("30m");
    return await draw(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Calls, changes of status, webhooks and the app's responses. */
async function draw(sandbox) {
  const listed = async (path) => (await (await sandbox.fetch(`${path}?limit=100`)).json()).items;
  const calls = (await listed("/_sandbox/requests")).reverse();
  const events = (await listed("/_sandbox/events")).reverse();
  const attempts = (await listed("/_sandbox/deliveries"))
    .flatMap(({ type, attempts }) => attempts.map((attempt) => ({ type, ...attempt })))
    .sort((a, b) => a.order - b.order);
  const moments = [
    ...calls
      .filter(({ path }) => path.startsWith("/api/"))
      .map(({ at, method, path, status }) => [
        at,
        `App->>Service: ${method} ${path}`,
        `Service-->>App: ${status}`,
      ]),
    ...events.map(({ at, data }) => [at, `Note over Service: ${since(at)} ${data.status}`]),
    ...attempts.map(({ at, type, status }) => [
      at,
      `Service->>App: ${since(at)} webhook ${type}`,
      `App-->>Service: ${status}`,
    ]),
  ];
  // Sorting is stable: at one instant calls come first, then changes of status, then webhooks.
  moments.sort(([a], [b]) => Date.parse(a) - Date.parse(b));
  return mermaid(
    "sequenceDiagram",
    moments.flatMap(([, ...lines]) => lines),
  );
}

function since(at) {
  const seconds = (Date.parse(at) - Date.parse(START)) / 1000;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes === 0 ? `+${rest} s` : `+${minutes} min ${rest} s`;
}
