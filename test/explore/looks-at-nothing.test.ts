// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them

import { createServer } from "node:http";
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";
import { type Answer, type CallService, foundIn, type Order, openApp, shopOf } from "./apps.js";
import { FLOW, openCorpus, PRESSES, pressedApp } from "./support.js";

async function faultsOf(flow: string): Promise<string> {
  const { sandbox, shop } = await openCorpus("right");
  const file = fileWith(flow);
  const error = await sandbox.explore(file, { app: shop.url, depth: 1 }).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ code: "LOOKS_AT_NOTHING", exitCode: 2 });
  return error!.message.replaceAll(file, "flow.yaml");
}

it.concurrent("refuses a field in `never` or `ignore` that no response contains", async () => {
  const never = `never:
  - { app: "GET /orders/\${order}", body: { delivred: { gt: 1 } } }
`;
  const ignored = FLOW.replace(
    "observe:\n  - app: GET /orders/${order}",
    'observe:\n  - { app: "GET /orders/${order}", ignore: [updated_at] }',
  );
  expect(ignored).not.toBe(FLOW);
  expect(await faultsOf(FLOW + never)).toMatch(
    /^flow\.yaml:\d+:\d+ never\.0\.body\.delivred: no response of the app to the plain runs has delivred; did you mean delivered\?$/,
  );
  expect(await faultsOf(ignored)).toMatch(/^flow\.yaml:\d+:\d+ observe\.0\.ignore\.0: .* has updated_at/);
});

it.concurrent.each([
  ["deliverd: 1", "deliverd", "; did you mean delivered?"],
  ["nope: { not: 5 }", "nope.not", ""],
])("refuses a step that expects %s when no response contains it", async (expected, place, hint) => {
  const flow = FLOW.replace("delivered: 1", expected);
  expect(flow).not.toBe(FLOW);
  const [field] = place.split(".");
  expect(await faultsOf(flow)).toMatch(
    new RegExp(
      `^flow\\.yaml:\\d+:\\d+ steps\\.2\\.expect\\.body\\.${place}: no response of the app to the plain runs has ${field}`,
    ),
  );
  expect(await faultsOf(flow)).toContain(hint);
});

it.concurrent("reports wrong values together with a missing field", async () => {
  const { sandbox, shop } = await openCorpus("right");
  const flow = FLOW.replace("status: paid, delivered: 1", "status: sold, deliverd: 1");
  expect(flow).not.toBe(FLOW);
  await expect(sandbox.explore(fileWith(flow), { app: shop.url, depth: 1 })).rejects.toThrow(
    "the flow fails with nothing going wrong: and has it: the response differs at body.status, body.deliverd",
  );
});

it.concurrent("refuses a flow without checks of the app", async () => {
  const [steps] = FLOW.split("  - name: and has it");
  expect(
    await faultsOf(`${steps}  - expect_charge: { customer_email: "\${email}", status: COMPLETED }\n`),
  ).toMatch(/^flow\.yaml:\d+:\d+ steps: the flow looks at nothing of the app: /);
});

it.concurrent.each(["expect: { body: {} }", "expect: { status: 200, body: {} }"])(
  "refuses a flow that checks no field of the app: %s",
  async (expected) => {
    const flow = FLOW.replace(/expect: \{[^\n]*delivered: 1[^\n]*/, expected).replace(/observe:\n.*\n/, "");
    expect(flow).toContain(expected);
    expect(await faultsOf(flow)).toMatch(/steps: the flow looks at nothing of the app: /);
  },
);

it.concurrent("reports that the app accepted no webhook when the flow fails", async () => {
  const { sandbox, shop } = await openCorpus("right");
  await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${shop.url}/nowhere` });
  const { items } = (await sandbox.control("GET", "/_sandbox/webhook-endpoints")) as {
    items: { webhook_id: string; url: string }[];
  };
  for (const { webhook_id, url } of items)
    if (!url.endsWith("/nowhere"))
      await sandbox.control("DELETE", `/_sandbox/webhook-endpoints/${webhook_id}`);
  await expect(sandbox.explore(fileWith(FLOW), { app: shop.url, depth: 1 })).rejects.toThrow(
    /the flow fails with nothing going wrong: .*; the app accepted none of \d+ webhook attempts \(404\)/,
  );
});

it.concurrent.each([
  ["a field", (count: number) => ({ count })],
  ["a number alone", (count: number) => count],
])("does not pass an app of which only a count over all runs is seen, as %s", async (_, viewOf) => {
  const lines = new Set<string>();
  const importer =
    (call: CallService): Answer =>
    async (route) => {
      if (route !== "POST /import") return [200, viewOf(lines.size)];
      const { items } = await call("GET", "payments/payins?status_filter=COMPLETED&limit=100");
      for (const { charge_id } of items) lines.add(charge_id);
      return [200];
    };
  const flow = `name: import
steps:
  - pay: { amount: "19.99", customer_email: "a-\${run.id}@shop.test" }
  - app: POST /import
observe:
  - app: GET /lines
`;
  const { report } = await foundIn(await openApp(importer, null), flow);
  expect(report).toMatchObject({ findings: [], passed: false, looked_at: [] });
  expect(report.sentence).toContain("add reset if it has what earlier runs left");
});

it.concurrent("ignores a field of the entries of a map with random keys", async () => {
  let codes = 0;
  const shop = (call: CallService): Answer => {
    const answer = shopOf()(call);
    return async (route, body) => {
      const [status, view] = await answer(route, body);
      if (!route.startsWith("GET ")) return [status, view];
      return [status, { tickets: { [`code-${++codes}`]: { seat: codes, order: (view as Order).status } } }];
    };
  };
  const flow = FLOW.slice(0, FLOW.indexOf("  - name: and has it"));
  const observe = `observe:\n  - { app: "GET /orders/\${order}", ignore: [tickets.0.seat] }\n`;
  const { report } = await foundIn(await openApp(shop), flow + observe, {
    only: "webhook_twice at charge.completed#1",
  });
  expect(report).toMatchObject({ findings: [], not_compared: [] });
});

it.concurrent("refuses a flow to which no deviation applies", async () => {
  const sandbox = await openSandbox();
  const app = `http://127.0.0.1:${await listening(createServer(pressedApp()))}`;
  const file = fileWith(PRESSES.replace("POST", "GET"));
  await expect(sandbox.explore(file, { app })).rejects.toMatchObject({
    code: "LOOKS_AT_NOTHING",
    exitCode: 2,
    message: expect.stringMatching(/scenario\.yaml:3:1 steps: no deviation applies: the app neither calls/),
  });
});

it.concurrent("refuses an app that accepts no webhook", async () => {
  const { sandbox, shop } = await openCorpus("right");
  const deaf = createServer((_request, response) => response.writeHead(404).end());
  const url = `http://127.0.0.1:${await listening(deaf)}/webhook`;
  const { items } = (await sandbox.control("GET", "/_sandbox/webhook-endpoints")) as {
    items: { webhook_id: string }[];
  };
  for (const { webhook_id } of items)
    await sandbox.control("PATCH", `/_sandbox/webhook-endpoints/${webhook_id}`, { url });
  const polling = FLOW.replace("  - name: and has it", "  - app: POST /tick\n  - name: and has it");
  const exploring = sandbox.explore(fileWith(polling), { app: shop.url, depth: 1 });
  await expect(exploring).rejects.toThrow(
    /the app accepted none of \d+ webhook attempts \(404\): check the receiver's URL/,
  );
});
