import { networkInterfaces } from "node:os";
import { DEFAULT_HOST, DEFAULT_PORT, normalizeWebhookUrl } from "../core/schema/option-schemas.js";
import type { StartOptions } from "../core/schema/option-table.js";
import { sandboxUrl } from "../library/port.js";
import type { Sandbox } from "../library/sandbox.js";
import { controlAccessMode, hostName, isWildcardAddress, normalizeAddress } from "../server/http/access.js";
import { commandFor } from "./help-text.js";
import { lineWidth } from "./terminal.js";
import { paint, wrap } from "./text-layout.js";

/** The line of `--json` when the sandbox is ready. */
export function readyDetails(sandbox: Sandbox, publicUrl?: string) {
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

type Rows = [name: string, value: string][];

/** Column at which the values begin. */
const VALUES_AT = 18;

/** The banner: addresses, keys, next steps. Coloured only on a terminal. */
export async function bannerText(sandbox: Sandbox, options: StartOptions): Promise<string> {
  const { receivers, clock } =
    options.data === undefined
      ? { receivers: receiversOf(options), clock: options.clock ?? "real" }
      : await readStoredState(sandbox);
  const ready = readyDetails(sandbox, options.public_url);
  const control = controlRows(sandbox, options);
  const rows: Rows = [
    ["URL", paint("cyan", ready.url)],
    ...elsewhereRows(sandbox, options),
    ["API key", ready.api_key],
    ["Live key", ready.live_api_key],
    ["Webhook secret", ready.webhook_secret],
    [
      "Webhooks to",
      wrap(receivers.join(", "), VALUES_AT, lineWidth()).join("\n").trimStart() ||
        paint("dim", "nowhere yet (--webhook-url localhost:3000/webhooks)"),
    ],
    ["Clock", clock],
    ["Rate limit", rateLimit(sandbox)],
    ["State", options.data?.replace(/^(postgres\w*:\/\/[^:/]*):[^/]*@/, "$1@") ?? "in memory"],
    ["Seed", ready.seed],
    ["API reference", paint("cyan", `${sandbox.url}/docs`)],
    ...control.rows.map(([name, value]): Rows[number] => [name, paint("cyan", value)]),
    ...(sandbox.controlToken === undefined
      ? []
      : [["Control token", sandbox.controlToken] satisfies Rows[number]]),
  ];
  const lines = rows.map(([name, value]) => `  ${paint("dim", name.padEnd(VALUES_AT - 2))}${value}`);
  const tries = [
    ...control.commands.map(([name, command]) => `${paint("dim", name)} ${command}`),
    paint("dim", "Stop with Ctrl-C. Times are UTC."),
  ];
  return [
    "",
    `  ${paint("bold", "payments-sandbox")} is ready. No real money moves here.`,
    "",
    ...lines,
    "",
    ...tries.map((line) => `  ${line}`),
    "",
    "",
  ].join("\n");
}

/** Rows about the control API. Leaves out URLs that would answer 403. */
function controlRows(sandbox: Sandbox, options: StartOptions): { rows: Rows; commands: Rows } {
  const door = controlAccessMode(options.host ?? DEFAULT_HOST, sandbox.controlToken ?? options.control_token);
  if (door === "closed")
    return {
      rows: [["Control API", "closed beyond loopback, the dashboard too; --control-token generate opens it"]],
      commands: [],
    };
  const token = door === "token" ? sandbox.controlToken : undefined;
  const where = { url: sandbox.port === DEFAULT_PORT ? undefined : sandbox.url, controlToken: token };
  const query = token === undefined ? "" : `?token=${encodeURIComponent(token)}`;
  return {
    rows: [["Dashboard", `${readyDetails(sandbox).dashboard_url}${query}`]],
    commands: [
      ["Make a charge:", commandFor("charge create", where)],
      ["Move time:", commandFor("clock advance 10s", where)],
    ],
  };
}

/** Rows about a server that listens on every address: its URLs for the allowed hosts, or a hint at `--allowed-host`. */
function elsewhereRows({ port }: Sandbox, options: StartOptions): Rows {
  const { host = DEFAULT_HOST, allowed_host = [] } = options;
  if (port === undefined || !isWildcardAddress(normalizeAddress(host))) return [];
  const urls = allowed_host.map((name) => sandboxUrl(hostName(name), port, options));
  if (urls.length > 0) return [["Also at", urls.join(", ")]];
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4");
  const example = own === undefined ? "" : `, such as ${own.address}`;
  return [["From elsewhere", `rejected until --allowed-host gives the name or address used${example}`]];
}

function rateLimit({ rateLimit = "off" }: Sandbox): string {
  return rateLimit === "off" ? "off" : `${rateLimit} requests per minute and key (--rate-limit off for none)`;
}

function receiversOf({ webhook_url = [], webhooks = [] }: StartOptions): string[] {
  return [
    ...webhook_url.map((url) => normalizeWebhookUrl(url)!),
    ...webhooks.map(({ url, mailbox }) =>
      url === undefined ? `mailbox ${mailbox}` : normalizeWebhookUrl(url)!,
    ),
  ];
}

/** Receivers and clock of a stored state, which has more than the options say. */
async function readStoredState(sandbox: Sandbox): Promise<{ receivers: string[]; clock: string }> {
  const { items } = await sandbox.run("listWebhookEndpoints", { limit: 100 });
  const { mode } = await sandbox.run("getClock");
  const receivers = items.map(({ url, mailbox, enabled }) => {
    const target = url ?? `mailbox ${mailbox}`;
    return enabled ? target : `${target} (disabled)`;
  });
  return { receivers: receivers.reverse(), clock: mode };
}
