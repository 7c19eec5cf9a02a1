import type { Sandbox } from "../../../src/library/index.js";
import { Api, KES_ORDER, openSandbox, START } from "../../support/api-client.js";

interface Delivery {
  readonly type: string;
  readonly attempts: readonly { readonly at: string; readonly order: number; readonly status: number }[];
}
interface Call {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** An app that sends its webhooks' senders these statuses, the last of them from then on. */
async function open(responses: readonly number[] = [200]): Promise<Api> {
  const sandbox = await openSandbox();
  let received = 0;
  await sandbox.onWebhook(() => responses[Math.min(received++, responses.length - 1)]!);
  return new Api(sandbox);
}

async function listed<T>(sandbox: Sandbox, path: string): Promise<T[]> {
  return ((await (await sandbox.fetch(`${path}?limit=100`)).json()) as { items: T[] }).items;
}

/** Activity of a sandbox: calls, changes of status, webhooks and the app's responses. */
async function draw({ sandbox }: Api): Promise<string> {
  const calls = (await listed<Call>(sandbox, "/_sandbox/requests")).reverse();
  const deliveries = await listed<Delivery>(sandbox, "/_sandbox/deliveries");
  const attempts = deliveries
    .flatMap(({ type, attempts }) => attempts.map((one) => ({ type, ...one })))
    .sort((a, b) => a.order - b.order);
  const moments = [
    ...calls
      .filter(({ path }) => path.startsWith("/api/"))
      .map(({ at, method, path, status }) => ({
        at,
        lines: [`App->>Service: ${method} ${path}`, `Service-->>App: ${status}`],
      })),
    ...sandbox.snapshot().collections.events.map(([, { at, body }]) => ({
      at,
      lines: [`Note over Service: ${after(at)} ${JSON.parse(body).data.status}`],
    })),
    ...attempts.map(({ at, type, status }) => ({
      at,
      lines: [`Service->>App: ${after(at)} webhook ${type}`, `App-->>Service: ${status}`],
    })),
  ];
  // Sorting is stable: at one instant calls come first, then changes of status, then webhooks.
  moments.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const lines = moments.flatMap((one) => one.lines).map((line) => `  ${line}`);
  return ["```mermaid", "sequenceDiagram", ...lines, "```"].join("\n");
}

function after(at: string): string {
  const seconds = (Date.parse(at) - Date.parse(START)) / 1000;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes === 0 ? `+${rest} s` : `+${minutes} min ${rest} s`;
}

/** A payin by mobile money. */
export async function payin(responses?: readonly number[]): Promise<string> {
  const api = await open(responses);
  await api.pay(KES_ORDER);
  await api.sandbox.advance("30m");
  return draw(api);
}

/** The same with an app that is down when the payment's webhook comes, and at the next try. */
export function retry(): Promise<string> {
  return payin([200, 200, 503, 503, 200]);
}

export async function payout(): Promise<string> {
  const api = await open();
  await api.post("/_sandbox/balances", { currency: "KES", amount: "5000.00" });
  const wallet = { type: "mobile_money", currency: "KES", phone_number: "+254700000001" };
  await api.balances();
  const { body } = await api.post<{ destination_id: string }>("/api/v1/payouts/destinations", {
    ...wallet,
    provider: "simba_pesa",
  });
  await api.post("/api/v1/payouts/withdrawals", {
    destination_id: body.destination_id,
    amount: "1500.00",
    currency: "KES",
  });
  await api.sandbox.advance("30m");
  return draw(api);
}
