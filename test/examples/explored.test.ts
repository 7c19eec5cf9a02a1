import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { ROOT } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

/** A customer who places an order with the given body. */
const flowOf = (body: string): string => `
name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { ${body}, email: "\${email}", phone: "+254700000001" }
    expect: { status: 201 }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid, shipments: 1 } }
observe:
  - app: GET /orders/\${order}
`;

/** Options of a shop. */
interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly fulfil: unknown;
}

/** Exports of the examples' files that are used here. */
interface Exported {
  readonly Payments: new (access: { baseUrl: string; apiKey: string; pauseMs: number }) => object;
  createShop(parts: { payments: object; webhookSecret: string; fulfil: unknown }): RequestListener;
  readonly Shop: new (access: Access) => { readonly server: Server };
  readonly fulfil: unknown;
}

async function imported(example: string, ...files: string[]): Promise<Exported> {
  const load = (file: string) =>
    import(pathToFileURL(join(ROOT, "examples", example, "src", file)).href) as Promise<object>;
  return Object.assign({}, ...(await Promise.all(files.map(load))));
}

interface Example {
  readonly flow: string;
  serverOf(access: Access): Promise<Server>;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  "express-shop": {
    flow: flowOf(`number: "\${order}"`),
    serverOf: async ({ webhookSecret, fulfil, ...access }) => {
      const { Payments, createShop } = await imported("express-shop", "payments.js", "shop.js");
      const payments = new Payments({ ...access, pauseMs: 1 });
      return createServer(createShop({ payments, webhookSecret, fulfil }));
    },
  },
  "vitest-parallel": {
    flow: flowOf(`id: "\${order}", price: "500.00"`),
    serverOf: async (access) => new (await imported("vitest-parallel", "shop.js")).Shop(access).server,
  },
};

/** The first finding is enough. */
const WRONG = ["webhook_late charge.awaiting_payment#1", "webhook_again_later charge.awaiting_payment#1"];

it.each([
  ["express-shop", "right", "fulfil.js", []],
  ["express-shop", "naive", "fulfil.naive.js", WRONG],
  ["vitest-parallel", "right", "fulfil.js", []],
  ["vitest-parallel", "naive", "fulfil.naive.js", WRONG],
] as const)("explore finds the bug of %s: %s", async (name, _, fulfilment, wrong) => {
  const { flow, serverOf } = EXAMPLES[name]!;
  const sandbox = await openSandbox();
  const { apiKey, webhookSecret } = sandbox;
  const { url: baseUrl } = await sandbox.listen();
  const { fulfil } = await imported(name, fulfilment);
  const app = `http://127.0.0.1:${await listening(await serverOf({ baseUrl, apiKey, webhookSecret, fulfil }))}`;
  await sandbox.control("POST /_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
  const enough = new AbortController();
  const report = await sandbox.explore(fileWith(flow), {
    app,
    depth: 1,
    throws: false,
    signal: enough.signal,
    onRun: (_runs, found) => void (wrong.length > 0 && found === wrong.length && enough.abort()),
  });
  const found = report.findings.map(({ deviations }) =>
    deviations.map(({ kind, at }) => `${kind} ${at}`).join(),
  );
  expect({ found, depth: report.complete_depth }).toEqual({
    found: wrong,
    depth: wrong.length === 0 ? 1 : 0,
  });
});
