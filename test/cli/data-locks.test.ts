import { execFileSync, spawn } from "node:child_process";
import { rmSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { dataFile } from "../support/kept.js";
import { type CommandOptions, ROOT, run } from "../support/process-command.js";
import { startServer } from "../support/started.js";

/** Runs a process as PID 1, as in a container. */
const CONTAINER = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];

function canMakeContainers(): boolean {
  try {
    execFileSync(CONTAINER[0]!, [...CONTAINER.slice(1), "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function startArguments(data: string): string[] {
  return ["start", "--json", "-p", "0", "--rate-limit", "off", "--clock", "manual", "--data", data];
}

const serve = (data: string, options?: CommandOptions) =>
  startServer(["--clock", "manual", "--data", data], options);

it.runIf(canMakeContainers())(
  "a second container cannot open the data file until the first has been killed",
  async () => {
    const data = dataFile();
    const container = { through: CONTAINER };
    const first = await serve(data, container);
    const charge = await first.client.pay();
    const isRefused = async (options?: CommandOptions) => {
      const { code, stdout, stderr } = await run(startArguments(data), options);
      expect(code).toBe(1);
      expect(stderr).toContain(JSON.parse(stdout).error.message);
      expect(stderr).toMatch(
        /^payments-sandbox: .*d\.json is in use by process 1 on .+, another machine or container\. .* delete .*d\.json\.lock\.\n$/,
      );
    };
    for (const options of [container, {}]) await isRefused(options);
    await first.command.stop("SIGKILL");
    const next = await serve(data);
    expect((await next.client.charge(charge)).status).toBe(200);
  },
);

it("two sandboxes in one process cannot open the same data file", async () => {
  const data = dataFile();
  const script = `
      import { createRequire } from "node:module";
      import { createSandbox } from ${JSON.stringify(pathToFileURL(join(ROOT, "dist/index.js")).href)};
      const require = createRequire(import.meta.url);
      for (const file of Object.keys(require.cache)) delete require.cache[file];
      const other = require(${JSON.stringify(join(ROOT, "dist/index.cjs"))});
      console.log(other.createSandbox === createSandbox);
      const data = ${JSON.stringify(data)};
      const say = (error) => console.log(error.message.split(". ")[0]);
      const one = await createSandbox({ data });
      await other.createSandbox({ data }).catch(say);
      await one.close();
      const two = await other.createSandbox({ data });
      await createSandbox({ data }).catch(say);
      console.log(Object.getOwnPropertySymbols(globalThis).map(String).filter((name) => name.includes("sandbox")).join());
    `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  // An open sandbox must not keep the process alive.
  const code = await new Promise((resolve) => child.once("close", resolve));
  const refused = `${data} is in use by process ${child.pid}\n`;
  expect({ code, output }).toEqual({
    code: 0,
    output: `false\n${refused}${refused}Symbol(payments-sandbox.locks)\n`,
  });
});

it("a write after the data folder was removed fails with 500", async () => {
  const data = dataFile();
  const { command, client } = await serve(data);
  const charge = await client.pay();
  const { quote_id } = (await client.quote()).json;
  rmSync(dirname(data), { recursive: true });
  // The first writes may succeed, before the next check of the folder.
  await expect.poll(async () => (await client.quote()).status, { interval: 20 }).toBe(500);
  expect((await client.checkout(quote_id)).json).toEqual({
    error: { code: "INTERNAL_ERROR", message: "Internal error" },
  });
  expect((await client.reset()).status).toBe(500);
  expect((await client.charge(charge)).json.status).toBe("PENDING");
  expect((await client.ask("GET /api/v1/payments/payins")).json.total).toBe(1);
  const { code, stderr } = await command.stop();
  expect(code).toBe(1);
  expect(new Set(stderr.trimEnd().split("\n"))).toEqual(
    new Set([
      `payments-sandbox: ${data}.journal was removed, so no more changes are saved. Stop this process, restore the file from a backup if there is one, and start again.`,
    ]),
  );
});

it("an incomplete last line is dropped at the next start", async () => {
  const data = dataFile();
  const first = await serve(data);
  const charge = await first.client.pay();
  await first.client.quote();
  await first.command.stop("SIGKILL");
  truncateSync(`${data}.journal`, statSync(`${data}.journal`).size - 5);
  const second = await serve(data);
  expect((await second.client.charge(charge)).status).toBe(200);
  expect(second.command.stderr).toMatch(
    /^payments-sandbox: .*d\.json\.journal: dropped its last \d+ bytes, a change that was never finished when the process ended\n$/,
  );
  await second.command.stop("SIGKILL");
  expect((await serve(data)).command.stderr).toBe("");
});
