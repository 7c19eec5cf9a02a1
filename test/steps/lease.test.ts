import { expect } from "vitest";
import { ClientHeartbeat } from "../../src/core/namespace/run-lease.js";
import { expectError } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { openShop } from "../support/receiver-client.js";
import { FakeWall } from "../support/receiver-world.js";
import { fileWith, runSteps } from "../support/scenario-run.js";

const run = (name: string) => ({ "sandbox-run": name });

it("only one run can hold the lease of a namespace", async ({ api }) => {
  const ask = (method: string, name?: string) =>
    api.send(method, "/_sandbox/lease", "{}", name === undefined ? {} : run(name));
  expect((await ask("POST", "a")).json).toEqual({ namespace: "default", run: "a", held: true });
  expect((await ask("POST", "a")).status).toBe(200);
  expectError(await ask("POST", "b"), 409, "NAMESPACE_LEASED");
  expectError(await ask("DELETE", "b"), 404, "NOT_FOUND");
  expectError(await ask("POST"), 400, "VALIDATION_ERROR", ["Sandbox-Run"]);
  expect((await ask("DELETE", "a")).json).toMatchObject({ held: false });
  expect((await ask("POST", "b")).status).toBe(200);
});

it("restores clock, rules and faults when the client disconnects", async () => {
  const { sandbox, client } = await openShop({ clock: "60x" });
  await client.ask("PUT /_sandbox/scenarios/there", { charges: [] });
  await client.ask("POST /_sandbox/scenarios/there/activate");
  const standing = async () => [
    (await client.ask("GET /_sandbox/scenarios?limit=2")).json.items,
    (await client.ask("GET /_sandbox/faults")).json.items,
    (await client.ask("GET /_sandbox/webhook-endpoints")).json.items,
    (await client.clock()).json.mode,
  ];
  const before = await standing();
  await client.ask("POST /_sandbox/lease", {}, run("a"));
  const runner = new AbortController();
  const init = { method: "POST", headers: run("a"), body: '{"hold":true}', signal: runner.signal };
  const held = sandbox.fetch("/_sandbox/lease", init);
  await client.ask("PUT /_sandbox/clock", { mode: "manual" });
  await client.ask("PUT /_sandbox/scenarios/k1", { faults: [{ match: {}, drop: "before" }] });
  await client.ask("POST /_sandbox/scenarios/k1/activate");
  await client.ask("POST /_sandbox/scenarios/there/deactivate");
  await client.ask("POST /_sandbox/faults", { match: {}, respond: { status: 503 } });
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "of-the-run" });
  expect(await standing()).not.toEqual(before);
  runner.abort();
  expect(await (await held).json()).toMatchObject({ run: "a", held: false });
  await expect.poll(standing).toEqual(before);
  await expect.poll(async () => (await client.ask("POST /_sandbox/lease", {}, run("b"))).status).toBe(200);
});

it("restores the snapshot when the client disconnects", async ({ shop: { sandbox, client } }) => {
  const look = async () => [
    (await client.ask("GET /_sandbox/rates")).json,
    (await client.ask("GET /_sandbox/charges")).json,
    (await client.ask("GET /_sandbox/snapshots")).json,
    (await client.clock()).json,
  ];
  const before = await look();
  await client.ask("POST /_sandbox/lease", { snapshot: "run-a" }, run("a"));
  await client.ask("POST /_sandbox/snapshots", { name: "run-a" });
  const runner = new AbortController();
  const init = { method: "POST", headers: run("a"), body: '{"hold":true}', signal: runner.signal };
  const held = sandbox.fetch("/_sandbox/lease", init);
  await client.ask("PUT /_sandbox/rates", { KES: "1" });
  await client.ask("POST /_sandbox/clock/advance", { by: "1h" });
  expect(await look()).not.toEqual(before);
  runner.abort();
  await held;
  await expect.poll(look).toEqual(before);
});

it("a client without heartbeat counts as disconnected after 30 s", async () => {
  const wall = new FakeWall(0);
  let gone = 0;
  const begin = () => new ClientHeartbeat(wall, () => void gone++);
  const late = begin();
  const answer = late.hold(new AbortController().signal);
  wall.elapse(10_000);
  expect(await answer).toBe(true);
  wall.elapse(29_999);
  expect(gone).toBe(0);
  wall.elapse(1);
  expect(gone).toBe(1);
  expect(await late.hold(new AbortController().signal)).toBe(false);

  const caller = new AbortController();
  const left = begin().hold(caller.signal);
  caller.abort();
  expect([await left, gone]).toEqual([false, 2]);

  const ended = begin();
  const held = ended.hold(new AbortController().signal);
  ended.end();
  expect([await held, gone, wall.armed]).toEqual([false, 2, []]);
});

const RULES = `
charges: [{ timeline: [{ after: 1s, to: FAILED }] }]
faults: [{ match: { operation: getBalances }, respond: { status: 503 } }]`;

it("a second run uses a new namespace, unless it has a manual step", async ({
  shop: { sandbox, client },
}) => {
  await client.ask("POST /_sandbox/lease", {}, run("other"));
  const report = await runSteps("- request: GET /api/v1/payments/payins", { sandbox });
  expect(report).toMatchObject({ outcome: "passed", namespace: expect.stringMatching(/^run-/) });
  const { items } = (await client.ask("GET /_sandbox/namespaces")).json;
  expect(items).toMatchObject([{ name: "default" }]);
  const refused = await sandbox.runFile(fileWith("name: x\nsteps: [{ manual: Pay }]\n"));
  expect(refused).toMatchObject({
    outcome: "error",
    error: 'Run other has the namespace "default" until it ends: try again then, or name another',
  });
  await client.ask("DELETE /_sandbox/lease", {}, run("other"));
  expect(await runSteps("- advance: 1s", { sandbox })).not.toHaveProperty("namespace");
});

it("a run releases its lease when it ends", async ({ shop: { sandbox } }) => {
  for (const _time of ["first", "second"])
    expect((await runSteps("- advance: 1s", { sandbox, rules: RULES })).namespace).toBeUndefined();
});
