import { createServer, type RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { listening } from "../support/servers.js";
import { type Json, shopFor } from "./support/shop.js";

const library = new Webhook(DEFAULT_WEBHOOK_SECRET);

/** Events that an app verified, and its reasons for refusing others. */
interface App {
  readonly taken: Json[];
  readonly refused: string[];
  readonly listener: RequestListener;
}

type Build = (verify: (body: string | Buffer, headers: Record<string, string>) => boolean) => RequestListener;

function appOf(build: Build): App {
  const [taken, refused]: [Json[], string[]] = [[], []];
  const listener = build((body, headers) => {
    try {
      taken.push(library.verify(body, headers));
      return true;
    } catch (error) {
      refused.push(String(error));
      return false;
    }
  });
  return { taken, refused, listener };
}

/** Each receiver verifies the raw body, as its framework documents. */
const APPS: Record<string, Build> = {
  Express: (verify) => {
    const app = express();
    app.post(
      "/hooks",
      express.raw({ type: "application/json", limit: "1mb" }),
      (request: Json, response: Json) => {
        const isTaken = verify(request.body, request.headers);
        response.sendStatus(isTaken ? 204 : 400);
      },
    );
    return app as unknown as RequestListener;
  },
  Hono: (verify) => {
    const app = new Hono();
    app.post("/hooks", async (c) => c.body(null, verify(await c.req.text(), c.req.header()) ? 204 : 400));
    return getRequestListener(app.fetch) as RequestListener;
  },
  "node:http": (verify) => async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isTaken = verify(Buffer.concat(chunks), request.headers as Record<string, string>);
    response.writeHead(isTaken ? 204 : 400).end();
  },
};

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(listener))}/hooks`;
}

/** Strings with special characters of JSON, JavaScript, HTTP and shells. */
const AWKWARD = [
  "Zoë Ångström",
  "e\u0301 and \u00e9",
  "漢字かな",
  "مرحبا بالعالم",
  "\u202eright to left\u202c",
  "👩‍👩‍👧‍👦 🇰🇪 𝄞",
  "\u{1F600}".repeat(120),
  "line\nbreak\r\nand\ttab",
  "\u2028\u2029\u0085",
  "\u0000\u0001\u001f\u007f",
  "\ufeffbyte order mark",
  '"quoted" \\back\\slash\\ /slash/',
  "</script><!-- & &amp; %00 %E2%82%AC",
  '{"id":"evt_fake","data":{}}',
  "$& $1 $HOME `id` {timestamp}",
  "\ud800 lone",
  "__proto__",
  " leading and trailing ",
  "9".repeat(200),
  "1e400 -0 NaN 0.1 12345678901234567890.123456789",
];

/** Returns a charge with a small or huge amount and unusual metadata. */
function orderOf(index: number): { amount: string; metadata?: Record<string, string>; name: string } {
  const awkward = AWKWARD[index % AWKWARD.length]!;
  const amounts = ["100.00", "0.10", "12345678901234567.89", "99999999999999999999.99", "7000", "1000000.5"];
  const amount = amounts[index % amounts.length]!;
  const kind = index % 4;
  const metadata: Record<string, string>[] = [
    {},
    { note: awkward, [`k${index}`]: "" },
    { [awkward.slice(0, 20).replaceAll("\u0000", "") || "k"]: awkward },
  ];
  return { amount, name: awkward, ...(kind === 3 ? {} : { metadata: metadata[kind]! }) };
}

/** Every combination of a text, an amount and a kind of metadata. */
const CHARGES = 60;

it(`Express, Hono and node:http verify the webhooks of ${CHARGES} unusual charges`, async () => {
  const apps = Object.entries(APPS).map(([name, build]) => ({ name, ...appOf(build) }));
  const urls: string[] = [];
  for (const app of apps) urls.push(await serve(app.listener));
  const { sandbox, client } = await shopFor(urls, { rateLimit: "off" });

  const charges = new Map<string, string>();
  let refusedOrders = 0;
  for (let index = 0; index < CHARGES; index++) {
    const { amount, metadata, name } = orderOf(index);
    const quote = await client.quote({ amount });
    const checkout = await client.ask("POST /api/v1/payments/whitelabel", {
      pricing: { base_currency: "NGN", amount },
      payment_method: "bank_transfer",
      bank_account_number: "0123456789",
      customer_email: "ada@shop.test",
      customer_name: name.slice(0, 100),
      quote_id: quote.json.quote_id,
      ...(metadata === undefined ? {} : { metadata }),
    });
    if (checkout.status === 200) charges.set(checkout.json.charge_id, "");
    else refusedOrders++;
  }
  await sandbox.advance("10s");
  for (const charge of charges.keys()) charges.set(charge, (await client.charge(charge)).text);

  // The service refuses some of these orders.
  expect(refusedOrders).toBeLessThan(CHARGES / 4);
  for (const { name, taken, refused } of apps) {
    expect({ name, refused }).toEqual({ name, refused: [] });
    expect({ name, count: taken.length }).toEqual({ name, count: 3 * charges.size });
    expect(new Set(taken.map((event) => event.id)).size).toBe(3 * charges.size);
    const ends = taken.filter((event) => event.type === "charge.completed");
    for (const event of ends) expect(event.data).toEqual(JSON.parse(charges.get(event.data.charge_id)!));
  }
});

it("Express, Hono and node:http verify nested, empty and large webhooks", async () => {
  const apps = Object.entries(APPS).map(([name, build]) => ({ name, ...appOf(build) }));
  const urls: string[] = [];
  for (const app of apps) urls.push(await serve(app.listener));
  const { sandbox, client } = await shopFor(urls, { rateLimit: "off" });
  const all: Json[] = [
    {},
    { metadata: {} },
    { a: [[[[[]]]]], b: null, c: [null, false, 0, -0.5, ""] },
    Object.fromEntries(AWKWARD.map((text, index) => [`${index}${text}`, text])),
    { deep: Array.from({ length: 90 }).reduce<Json>((inner) => ({ inner }), { end: true }) },
    { large: "𝄞ü ".repeat(20_000) },
    { exact: 2 ** 53, small: 1e-7, huge: 1e21 },
  ];
  for (const data of all) {
    const made = { type: "charge.completed", data, force: true };
    const answer = await client.ask("POST /_sandbox/events", made);
    expect(answer.status).toBe(200);
  }
  await sandbox.settled();
  for (const { name, taken, refused } of apps) {
    expect({ name, refused }).toEqual({ name, refused: [] });
    const byOrder = new Map(taken.map((event) => [JSON.stringify(event.data), event.data]));
    expect(taken).toHaveLength(all.length);
    for (const data of all) {
      const sent = JSON.parse(JSON.stringify(data));
      expect(byOrder.get(JSON.stringify(sent))).toEqual(sent);
    }
  }
});
