import { ControlClient } from "../core/client/control-client.js";
import type { Activity } from "../core/schema/activity-events.js";
import { formatCount } from "../core/schema/text-format.js";
import { openSandbox } from "../library/opening.js";
import type { Sandbox } from "../library/sandbox.js";
import { activityLines } from "./live/live.js";
import { printJson, printText, terminalWidth } from "./terminal.js";
import { paint, wrap } from "./text-layout.js";

const PRICING = { base_currency: "USD", amount: "25.00" };
const CUSTOMER = "ada@shop.test";

const INTRODUCTION =
  "One charge: a customer pays 25.00 USD plus fees by card, and a receiver gets the webhooks. All of it happens in this process, which then ends; no app runs, no real money moves.";

interface Webhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly type: string; readonly data: object };
}

/** `demo`: a customer pays and the app's receiver gets the webhooks, all in this process. */
export async function runDemo({ json }: { readonly json?: boolean }): Promise<void> {
  const happenings: Activity[] = [];
  const sandbox = await openSandbox({
    clock: "manual",
    useRandomSeed: true,
    ownsProcess: true,
    onActivity: (tell) => happenings.push(tell()),
  });
  try {
    const webhooks: Webhook[] = [];
    await sandbox.onWebhook(async (request) => {
      const headers = Object.fromEntries(request.headers);
      webhooks.push({ headers, body: (await request.json()) as Webhook["body"] });
    });
    const chargeId = await payAsAnApp(sandbox);
    await sandbox.advance("10s");
    const charge = await sandbox.run("getCharge", { charge_id: chargeId });
    if (json) printJson({ charge, webhooks });
    else printText(demoText(happenings, chargeId, charge.status, webhooks));
  } finally {
    await sandbox.close();
  }
}

async function payAsAnApp(sandbox: Sandbox): Promise<string> {
  const authorization = `Bearer ${sandbox.apiKey}`;
  const app = new ControlClient({
    fetch: (path, init) =>
      sandbox.fetch(path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization },
      }),
  });
  const wish = { pricing: PRICING, payment_method: "card" };
  const { quote_id } = await app.call<{ quote_id: string }>("POST /api/v1/payments/quotes", wish);
  const body = { ...wish, quote_id, customer_email: CUSTOMER };
  const made = await app.call<{ charge_id: string }>("POST /api/v1/payments/whitelabel", body);
  return made.charge_id;
}

function demoText(
  happenings: readonly Activity[],
  chargeId: string,
  status: string,
  webhooks: readonly Webhook[],
): string {
  const { headers, body } = webhooks.at(-1)!;
  const signed = Object.entries(headers).filter(([name]) => name.startsWith("webhook-"));
  return [
    ...wrap(INTRODUCTION, 0, terminalWidth()),
    "",
    ...happenings.flatMap((one) => activityLines(one, terminalWidth())),
    "",
    "The last webhook, as the app's receiver gets it:",
    ...signed.map(([name, value]) => `  ${paint("dim", name)}: ${value}`),
    ...JSON.stringify(body, null, 2)
      .split("\n")
      .map((line) => `  ${line}`),
    "",
    `${paint("green", "✓")} ${chargeId} is ${status}; ${formatCount(webhooks.length, "webhook")} delivered.`,
    "",
    "Next, with your app:",
    "  npx payments-sandbox --webhook-url localhost:3000/webhooks",
    "",
  ].join("\n");
}
