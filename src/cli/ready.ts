import { styleText } from "node:util";
import type { Sandbox } from "../sandbox.js";
import { type StartOptions, webhookUrl } from "../schema/options.js";

/** What `--json` prints when the sandbox can be reached (contract section 1). */
export function readyLine(sandbox: Sandbox, publicUrl?: string) {
  const { url } = sandbox;
  return {
    url: publicUrl ?? url,
    port: sandbox.port,
    pid: process.pid,
    api_key: sandbox.apiKey,
    live_api_key: sandbox.liveApiKey,
    webhook_secret: sandbox.webhookSecret,
    control_url: `${url}/_sandbox`,
    dashboard_url: `${url}/_sandbox/dashboard`,
    seed: sandbox.seed,
    ...(sandbox.controlToken === undefined ? {} : { control_token: sandbox.controlToken }),
  };
}

type Style = Parameters<typeof styleText>[0];

/** What a person sees: where it is, what to use, what to try next. Coloured only on a terminal. */
export function banner(sandbox: Sandbox, options: StartOptions): string {
  const paint = (style: Style, text: string) =>
    process.stdout.isTTY && process.env.NO_COLOR === undefined ? styleText(style, text) : text;
  const ready = readyLine(sandbox, options.public_url);
  const rows: [string, string][] = [
    ["URL", paint("cyan", ready.url)],
    ["API key", ready.api_key],
    ["Live key", ready.live_api_key],
    ["Webhook secret", ready.webhook_secret],
    [
      "Webhooks to",
      webhookTargets(options) || paint("dim", "nowhere yet (--webhook-url localhost:3000/webhooks)"),
    ],
    ["Clock", options.clock ?? "real"],
    ["State", options.data ?? "in memory"],
    ["Seed", ready.seed],
    ["Dashboard", paint("cyan", ready.dashboard_url)],
    ...(sandbox.controlToken === undefined
      ? []
      : [["Control token", sandbox.controlToken] satisfies [string, string]]),
  ];
  const lines = rows.map(([name, value]) => `  ${paint("dim", name.padEnd(16))}${value}`);
  return [
    "",
    `  ${paint("bold", "payments-sandbox")} is ready. No real money moves here.`,
    "",
    ...lines,
    "",
    `  ${paint("dim", "Try:")} curl ${ready.url}/api/v1/accounts/balances -H "Authorization: Bearer ${ready.api_key}"`,
    `  ${paint("dim", "Move time:")} curl -X POST ${ready.control_url}/clock/advance -d '{"by":"10s"}'`,
    `  ${paint("dim", "Stop with Ctrl-C.")}`,
    "",
    "",
  ].join("\n");
}

function webhookTargets(options: StartOptions): string {
  return [
    ...(options.webhook_url ?? []).map((url) => webhookUrl(url)),
    ...(options.webhooks ?? []).map(({ url, mailbox }) =>
      url === undefined ? `mailbox ${mailbox}` : webhookUrl(url),
    ),
  ].join(", ");
}
