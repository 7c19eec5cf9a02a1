import { expect, it } from "vitest";
import { SHIPPED } from "../scenarios/support/shipped.js";
import { folderWith } from "../support/folders.js";
import { CALL_IMPORTED, CALL_REQUIRED } from "../support/light-fetch.js";
import { run } from "../support/process-command.js";
import { words } from "../support/words.js";

/** A correct shop with its test suite, except for the given bug. */
const SHOP = `${CALL_IMPORTED}
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
const { FLAW: flaw } = process.env;
const delivered = new Set();
const isOurs = (headers, text) => createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
  .update(headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + text).digest("base64") === headers["webhook-signature"].slice(3);
const server = createServer(async (request, response) => {
  let text = "";
  for await (const more of request) text += more;
  if (flaw !== "believes" && !isOurs(request.headers, text)) return response.writeHead(400).end();
  const { type, data } = JSON.parse(text);
  if (type === "charge.completed") delivered.add(data.charge_id);
  response.end();
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const { secret } = await call("POST", "/api/v1/webhooks", { url: "http://127.0.0.1:" + server.address().port + "/" });
const order = async (customer_email) => {
  const hurried = () => pay({ customer_email }, { signal: AbortSignal.timeout(500) });
  const { charge_id } = await (flaw === "hurries" ? hurried().catch(() => pay({ customer_email })) : pay({ customer_email }));
  await call("POST", "/_sandbox/clock/advance", process.env.EARLY ? { by: "10s" } : { until: "idle" });
  const { status } = await call("GET", "/api/v1/payments/charges/" + charge_id);
  if (status === "COMPLETED" && flaw !== "only listens") delivered.add(charge_id);
  return charge_id;
};
const [paid, unpaid] = [await order("ada@shop.test"), await order("declined@shop.test")];
const { total } = await call("GET", "/api/v1/payments/payins");
server.close();
server.closeAllConnections();
process.exitCode = delivered.has(paid) && !delivered.has(unpaid) && total === 2 ? 0 : 1;
`;

const script = (source: string) => ["--", process.execPath, "-e", CALL_REQUIRED + source];

/** These scenarios run last, in this order. */
const RARE = words`
  hanging_answer paid_late stale_reads webhook_days_later webhook_first webhook_new_ids
`;

interface Run {
  readonly label: string;
  readonly passed: boolean;
  readonly applied: Record<string, number> | null;
  readonly never_happened: string[] | null;
}

async function under(args: readonly string[], env: Record<string, string> = {}) {
  const cwd = folderWith({ "shop.mjs": SHOP });
  const command = ["exec", "--clock", "manual", "--json", ...args, "--", process.execPath, "shop.mjs"];
  const { code, stdout, stderr } = await run(command, { cwd, env });
  const matrix = JSON.parse(stdout.trim().split("\n").at(-1)!) as {
    runs: Run[];
    never_happened: string[];
    inconclusive: string[];
  };
  return { code, stderr, ...matrix, broken: matrix.runs.filter(({ passed }) => !passed) };
}

// Concurrent tests share the wait for slow responses.
it("each mishap fails only shops with the matching bug", async () => {
  const flaws = [
    ["only listens", "webhooks_lost"],
    ["believes", "forged_webhook"],
    ["hurries", "slow_api"],
  ] as const;
  const mishaps = flaws.map(([, mishap]) => mishap);
  const [right, ...wrong] = await Promise.all([
    under(["--under", mishaps.join()]),
    ...flaws.map(([flaw, mishap]) => under(["--under", mishap], { FLAW: flaw })),
  ]);
  expect(wrong.map(({ code, broken }) => [code, broken.map(({ label }) => label)])).toEqual(
    mishaps.map((mishap) => [1, [mishap]]),
  );
  const { code, broken, runs, never_happened } = right;
  expect([code, broken, never_happened]).toEqual([0, [], []]);
  const [, lost, forged, slow] = runs.map(({ applied }) => applied!);
  expect(lost?.["webhooks.0"]).toBeGreaterThan(0);
  expect(forged?.["webhooks.0"]).toBeGreaterThan(0);
  expect(slow?.["faults.0"]).toBe(2);
});

it("a test that fails before the mishap is inconclusive", async () => {
  const early = { FLAW: "only listens", EARLY: "1" };
  const mishaps = "slow,paid_late,webhook_outage,webhook_days_later";
  const { code, stderr, runs, inconclusive, never_happened } = await under(["--under", mishaps], early);
  expect(code).toBe(1);
  expect(runs.map(({ passed }) => passed)).toEqual([true, false, false, false, true]);
  expect(inconclusive).toEqual(["slow", "paid_late", "webhook_outage"]);
  expect(never_happened).toEqual(["webhook_days_later"]);
  expect(stderr).toContain("payments-sandbox: every app must survive: slow, webhook_outage\n");
  expect(stderr).toContain("payments-sandbox: rare: paid_late, webhook_days_later\n");
  expect(stderr).toMatch(/run 3 of 5, under paid_late: exit 1 after \d+\.\d s\n/);
});

it("reports mishaps that had no effect", async () => {
  const cwd = folderWith({
    "none.yaml": "name: none\nsteps: [{ advance: 1h }]\n",
    "some.yaml":
      "name: some\nfaults: [{ match: { operation: createQuote }, delay: 1ms }, { match: { operation: getCharge }, delay: 1ms }]\n",
  });
  const of = (...more: string[]) =>
    run(
      words`exec --under ./none.yaml,lost_response,./some.yaml ${more} ${script('call("POST", "/api/v1/payments/quotes", {}).catch(() => {})')}`,
      {
        cwd,
      },
    );
  const { code, stdout, stderr } = await of();
  expect(code).toBe(0);
  expect(stderr).toContain("./none.yaml has steps, which only `run` runs; here only its rules apply");
  expect(stdout).toMatch(/○ \.\/none\.yaml +not exercised +exit 0/);
  expect(stdout).toMatch(/○ lost_response +not exercised +exit 0 .* 0 responses lost\n/);
  expect(stdout).toMatch(/✓ \.\/some\.yaml +passed +exit 0 .* 1 call delayed\n/);
  expect(stdout).toContain(
    "Not exercised (nothing matched): ./none.yaml, lost_response.\n\nYour suite passes plain and under the 1 mishap it met.\n",
  );
  const strict = await of("--strict", "--json");
  expect(strict.code).toBe(1);
  expect(strict.stderr).toContain("--strict: lost_response was not exercised\n");
  expect(strict.stderr).toContain("--strict: faults.1 of some never applied\n");
  expect(JSON.parse(strict.stdout.trim().split("\n").at(-1)!)).toMatchObject({
    passed: false,
    never_happened: ["./none.yaml", "lost_response"],
    runs: [{}, {}, {}, { applied: { "faults.0": 1, "faults.1": 0 }, never_happened: ["faults.1"] }],
  });
});

it("--under mishaps runs all built-in mishaps", async () => {
  const { stdout } = await run(words`exec --quiet --json --under mishaps -- true`);
  const { runs } = JSON.parse(stdout.trim().split("\n").at(-1)!) as { runs: { label: string }[] };
  const mishaps = SHIPPED.filter(({ value }) => value.kind === "mishap").map(({ value }) => value.name);
  expect(runs.map(({ label }) => label)).toEqual([
    "plain",
    ...mishaps.filter((name) => !RARE.includes(name)).sort(),
    ...RARE,
  ]);
});

it("skips the scenarios of --under when the first run fails", async () => {
  const odd = script('call("POST", "/api/v1/payments/quotes", { ...PRICE, custmer_email: "a@b.test" })');
  const { code, stdout } = await run(words`exec --strict --under lost_response,slow ${odd}`);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /✗ plain +failed +exit 0 .*\n {2}- lost_response +not run\n {2}- slow +not run\n\nThe plain run did not pass/,
  );
});

it("--strict fails for ignored fields and unused scenarios", async () => {
  const good = script('call("POST", "/api/v1/payments/quotes", PRICE)');
  expect((await run(words`exec --strict ${good}`)).code).toBe(0);
  const odd = script('call("POST", "/api/v1/payments/quotes", { ...PRICE, custmer_email: "a@b.test" })');
  const over = await run(words`exec --strict ${odd}`);
  expect([over.code, over.stderr]).toEqual([
    1,
    expect.stringMatching(/^payments-sandbox: --strict: .*custmer_email/m),
  ]);
  const idle = await run(words`exec --strict --scenario lost_response ${good}`);
  expect([idle.code, idle.stderr]).toEqual([
    1,
    "payments-sandbox: --strict: lost_response was not exercised\n",
  ]);
  const sets = 'call("POST", "/_sandbox/faults", { match: { operation: "getCharge" }, delay: "1ms" })';
  const unmet = await run(words`exec --strict ${script(sets)}`);
  expect([unmet.code, unmet.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^payments-sandbox: the command made no call .*\npayments-sandbox: --strict: fault \w+ \{"match":\{"operation":"getCharge"\},"delay":"1ms"\} never applied\n$/,
    ),
  ]);
  const ownCode = await run(words`exec --strict --scenario lost_response ${script("process.exit(7)")}`);
  expect(ownCode.code).toBe(7);
});
