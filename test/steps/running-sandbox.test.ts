import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/built.js";
import { temporaryFile } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { fileWith, pays } from "../support/scenario-run.js";
import { freePort } from "../support/servers.js";
import { Shop } from "../support/shop.js";
import { startServer } from "../support/started.js";

const ORDER = `
name: order
steps:
  - app: POST /orders
    body: { email: ada@shop.test, phone: "+254700000001" }
    expect: { status: 201 }
  - { wait_for: charge, match: { customer_email: ada@shop.test }, within: 10s }
`;

async function openShop() {
  const shop = new Shop();
  const app = await shop.listen();
  const server = await startServer(["--webhook-url", `${app}/webhooks`]);
  const { ready, url } = server;
  shop.service = { url, apiKey: ready.api_key, webhookSecret: ready.webhook_secret };
  return { ...server, app };
}

it("run --app uses the sandbox at PAYMENTS_SANDBOX_URL", async () => {
  const { url, app, client } = await openShop();
  const env = { PAYMENTS_SANDBOX_URL: url };
  const { code, stderr } = await run(["run", fileWith(ORDER), "--app", app], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect((await client.ask("GET /_sandbox/charges")).json).toMatchObject({ total: 1 });
});

it.each([[{}], [{ PAYMENTS_SANDBOX_URL: "" }]])("run --app refuses %j", async (env) => {
  const ended = await run(["run", fileWith(ORDER), "--app", "127.0.0.1:1"], { env });
  expect(ended).toMatchObject({
    code: 2,
    stdout: "",
    stderr:
      "payments-sandbox: --app needs the sandbox that the app calls: name it with --url, or set PAYMENTS_SANDBOX_URL\n",
  });
});

it("run --app names PAYMENTS_SANDBOX_URL when no sandbox is running there", async () => {
  const { app } = await openShop();
  const env = { PAYMENTS_SANDBOX_URL: "http://127.0.0.1:1" };
  const [gone, seeded] = [
    await run(["run", fileWith(ORDER), "--app", app], { env }),
    await run(["run", fileWith(ORDER), "--app", app, "--seed", "s"], { env }),
  ];
  expect(gone.code).toBe(2);
  expect(gone.stdout).toContain(
    "there is no sandbox at http://127.0.0.1:1, which PAYMENTS_SANDBOX_URL names",
  );
  expect(seeded.code).toBe(2);
  expect(seeded.stderr).toContain("--seed is for a fresh sandbox: it cannot go with PAYMENTS_SANDBOX_URL");
});

it("exec runs an app and scenario files against one sandbox", async () => {
  const port = await freePort();
  const app = temporaryFile(
    "app.mjs",
    `import { createServer } from "node:http";
    const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key } = process.env;
    const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
    const post = async (path, body) =>
      (await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
    createServer(async (request, response) => {
      const order = { pricing: { base_currency: "KES", amount: "19.99" }, customer_email: "ada@shop.test" };
      response.writeHead(201).end(JSON.stringify(await post("/api/v1/payments/checkouts", order)));
    }).listen(${port}, "127.0.0.1");`,
  );
  const files = [ORDER, ORDER.replace("name: order", "name: again")].map((text) => fileWith(text));
  const [node, bin] = [process.execPath, join(ROOT, "bin/payments-sandbox.js")];
  const script = `"${node}" "${app}" & "${node}" "${bin}" run ${files.join(" ")} --app localhost:${port}`;
  const { code, stdout, stderr } = await run(["exec", "--", "sh", "-c", script]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("2 of 2 scenarios passed  (4 steps passed)");
});

it("JUnit names of run --url do not contain ids", async () => {
  const { url } = await startServer();
  const file = fileWith(`name: names
vars: { email: "qa+\${run.id}@shop.test" }
steps:${pays(`\${email}`)}
  - expect_charge: { charge_id: "\${charge}", status: PENDING }
  - fault: { match: { operation: createQuote, customer_email: "\${email}" }, respond: { status: 503 } }
  - parallel:
      - [{ request: "GET /api/v1/payments/charges/\${charge}" }]
      - [{ request: GET /api/v1/payments/payins }]
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED }
`);
  const namesOf = async () => {
    await run(["run", file, "--url", url, "--junit", `${file}.xml`]);
    return readFileSync(`${file}.xml`, "utf8").match(/<testcase name="[^"]*"/g);
  };
  const names = await namesOf();
  expect(names).toContain(`<testcase name="3. expect charge charge_id: \${charge}, status: PENDING"`);
  expect(names).toHaveLength(8);
  expect(await namesOf()).toEqual(names);
});

const RED = `name: red
steps:${pays("ada@shop.test")}
  - expect_charge: { charge_id: "\${charge}", status: COMPLETED }
`;
const NEXT = `name: next
steps:
  - advance: 1d
  - expect_webhook: { type: "*", count: 0 }
  - expect_balance: { currency: KES, change: "+0.00" }
`;

it("a failed scenario file leaves no pending charge", async () => {
  const { url, client } = await startServer();
  const { code, stdout } = await run(["run", fileWith(RED), fileWith(NEXT), "--url", url]);
  expect(code).toBe(1);
  expect(stdout).toContain("1 of 2 scenarios passed");
  const { items } = (await client.ask("GET /_sandbox/charges")).json;
  expect(items).toMatchObject([{ status: "CANCELLED" }]);
});

it("a failed scenario file does not change other charges", async () => {
  const { url, client } = await startServer(["--clock", "manual"]);
  const chargeId = await client.pay();
  await run(["run", fileWith(RED), "--url", url]);
  expect((await client.charge(chargeId)).json.status).toBe("PENDING");
});

const LATER = "name: later\nsteps: [{ advance: 40d }]\n";

it.each(["real", "manual"])("run prints how far it moved the clock: %s", async (mode) => {
  const { url, client } = await startServer(["--clock", mode, "--start-time", "2026-03-01T09:00:00Z"]);
  const { code, stdout, stderr } = await run(["run", fileWith(LATER), "--url", url]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
    /^the sandbox's clock stands at 2026-04-10T09:\S+Z \(before: 2026-03-01T09:\S+Z\) until the sandbox ends, or until npx payments-sandbox reset, which deletes every charge$/,
  );
  expect((await client.clock()).json).toMatchObject({ mode });
  const asJson = await run(["run", fileWith(LATER), "--url", url, "--json"]);
  expect(JSON.parse(asJson.stdout).clock).toEqual({
    before: expect.stringMatching(/^2026-04-10T/),
    now: expect.stringMatching(/^2026-05-20T/),
  });
});

it("run does not mention a clock that has not moved", async () => {
  const { url } = await startServer(["--clock", "manual"]);
  const isolated = `isolation: snapshot\n${LATER}`;
  for (const text of [isolated, ORDER.replace(/ {2}- app[\s\S]*/, "  - expect_charge: { count: 0 }\n")]) {
    const { code, stdout } = await run(["run", fileWith(text), "--url", url]);
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain("clock");
  }
});
