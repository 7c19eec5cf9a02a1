import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { dataFile } from "../support/kept.js";
import { type CommandOptions, run } from "../support/process-command.js";
import { startServer } from "../support/started.js";

async function serve(data: string, args: readonly string[] = [], options?: CommandOptions) {
  const started = await startServer(["--clock", "manual", "--data", data, ...args], options);
  const call = (line: string, body?: unknown, namespace?: string) =>
    started.client.in(namespace).ask(line, body);
  return { ...started, call };
}

it("start reports each damaged namespace and snapshot in one line", async () => {
  const data = dataFile();
  const first = await serve(data);
  for (const name of ["w1", "w2", "w3"]) await first.call(`PUT /_sandbox/namespaces/${name}`, {});
  await first.call("POST /_sandbox/snapshots", { name: "one" });
  await first.call("POST /_sandbox/snapshots", { name: "two" }, "w3");
  const charge = await first.client.pay({ key: "sk_test_ns_w3" });
  await first.command.stop();
  writeFileSync(`${data}.ns-w1`, "{");
  writeFileSync(`${data}.ns-w2.identity`, "");
  writeFileSync(
    `${data}.snapshots/one.json`,
    readFileSync(`${data}.snapshots/one.json`, "utf8").slice(0, -9),
  );
  mkdirSync(`${data}.ns-w3.snapshots/x.json`);

  const { command, call } = await serve(data, ["--quiet"]);
  expect((await call(`GET /api/v1/payments/charges/${charge}`, undefined, "w3")).status).toBe(200);
  expect((await call("GET /_sandbox/snapshots", undefined, "w3")).json.total).toBe(1);
  expect((await call("GET /api/v1/accounts/balances", undefined, "w1")).status).toBe(500);
  expect(await command.stop()).toMatchObject({ code: 0 });
  const lines = command.stderr.trimEnd().split("\n");
  expect(lines.map((line) => line.replace(dirname(data), "").slice(0, 60))).toEqual([
    expect.stringMatching(/^payments-sandbox: The snapshot "one" was skipped\. /),
    expect.stringMatching(/^payments-sandbox: The namespace "w1" was skipped\. /),
    expect.stringMatching(/^payments-sandbox: The namespace "w2" was skipped\. /),
    expect.stringMatching(/^payments-sandbox: The snapshot "x" was skipped\. /),
  ]);
});

it("stored namespaces keep their start times", async () => {
  const data = dataFile();
  const args = ["--start-time", "2026-03-01T09:00:00Z"];
  const first = await serve(data, args);
  await first.call("PUT /_sandbox/namespaces/w1", { start_time: "2027-01-01T00:00:00Z" });
  await first.command.stop();
  const { call, command } = await serve(data, args);
  expect((await call("GET /_sandbox/clock", undefined, "w1")).json.now).toBe("2027-01-01T00:00:00.000Z");
  expect((await call("POST /_sandbox/reset", {}, "w1")).status).toBe(200);
  expect((await call("GET /_sandbox/clock", undefined, "w1")).json.now).toBe("2027-01-01T00:00:00.000Z");
  expect(command.stderr).toBe("");
});

it.skipIf(process.platform === "win32")("start is refused before file handles run out", async () => {
  const data = dataFile();
  const { command, call, client } = await serve(data, [], { openFiles: 100 });
  let made = 0;
  let last = await call("PUT /_sandbox/namespaces/w0", {});
  for (; last.status === 200 && made < 100; last = await call(`PUT /_sandbox/namespaces/w${++made}`, {}));
  expect(made).toBeGreaterThan(5);
  expect(last).toMatchObject({
    status: 500,
    json: { error: { code: "INTERNAL_ERROR", message: expect.stringContaining("ulimit -n") } },
  });
  // Open files still work.
  expect((await call("POST /_sandbox/reset", {}, "w0")).status).toBe(200);
  expect((await call("POST /_sandbox/snapshots", { name: "one" }, "w0")).status).toBe(200);
  expect(await client.pay({ key: "sk_test_ns_w1" })).toMatch(/^ch_/);
  expect((await call("DELETE /_sandbox/namespaces/w0")).status).toBe(200);
  expect((await call("PUT /_sandbox/namespaces/again", {})).status).toBe(200);
  expect(await command.stop()).toMatchObject({ code: 0, stderr: "" });
  const total = readdirSync(dirname(data)).filter((file) => file.endsWith(".identity")).length;
  expect(total).toBe(made);

  const start = ["start", "--json", "-p", "0", "--data", data];
  const refused = await run(start, { openFiles: 60 });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(JSON.parse(refused.stdout).error.message);
  expect(refused.stderr).toMatch(/^payments-sandbox: Too many open files: .*ulimit -n.*\n$/);
  // The refused start has damaged no data.
  const { call: callAgain } = await serve(data);
  expect((await callAgain("GET /_sandbox/namespaces")).json.total).toBe(made + 1);
});

it("stored namespaces and their snapshots are accessible by name", async () => {
  const data = dataFile();
  const { url, call } = await serve(data);
  await call("POST /_sandbox/snapshots", { name: "one" });
  const victim = join(dirname(data), "package.json");
  writeFileSync(victim, "{}");
  const refused = await run(["snapshot", "delete", "../package", "--url", url]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^payments-sandbox: There is no snapshot "\.\.\/package"/);
  expect(readFileSync(victim, "utf8")).toBe("{}");
});
