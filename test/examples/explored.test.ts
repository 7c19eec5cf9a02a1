import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { ROOT } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

/** A customer of the shop on Express. */
const FLOW = `
name: order
vars: { email: "qa+\${run.id}@shop.test" }
steps:
  - app: POST /orders
    body: { number: "order-\${run.id}", email: "\${email}", phone: "+254700000001" }
    expect: { status: 201 }
    save: { order: body.id }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid, shipments: 1 } }
observe:
  - app: GET /orders/\${order}
`;

/** What the files of the example that are used here export. */
interface ExpressShop {
  readonly Payments: new (access: { baseUrl: string; apiKey: string; pauseMs: number }) => object;
  createShop(parts: { payments: object; webhookSecret: string; fulfil: unknown }): RequestListener;
  readonly fulfil: unknown;
}

async function imported(...files: string[]): Promise<ExpressShop> {
  const load = (file: string) =>
    import(pathToFileURL(join(ROOT, "examples/express-shop/src", file)).href) as Promise<object>;
  return Object.assign({}, ...(await Promise.all(files.map(load))));
}

it.each([
  ["right", "fulfil.js", []],
  [
    "naive",
    "fulfil.naive.js",
    ["webhook_twice charge.completed#1", "webhook_after_next charge.processing#1"],
  ],
] as const)("explore finds what is wrong with the shop on Express: %s", async (_, fulfilment, wrong) => {
  const { Payments, createShop, fulfil } = await imported("payments.js", "shop.js", fulfilment);
  const sandbox = await openSandbox();
  const { apiKey, webhookSecret } = sandbox;
  const { url: baseUrl } = await sandbox.listen();
  const payments = new Payments({ baseUrl, apiKey, pauseMs: 1 });
  const server = createServer(createShop({ payments, webhookSecret, fulfil }));
  const app = `http://127.0.0.1:${await listening(server)}`;
  await sandbox.control("POST /_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
  const { findings, complete_depth } = await sandbox.explore(fileWith(FLOW), { app, depth: 1 });
  expect(complete_depth).toBe(1);
  const found = findings.map(({ deviations }) => deviations.map(({ kind, at }) => `${kind} ${at}`).join());
  if (wrong.length === 0) expect(found).toEqual([]);
  expect(found).toEqual(expect.arrayContaining([...wrong]));
});
