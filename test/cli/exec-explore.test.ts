import { createServer } from "node:http";
import { Command } from "commander";
import { expect, it } from "vitest";
import { addExploreOptions } from "../../src/cli/options.js";
import { PRESSES } from "../explore/support.js";
import { run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { freePort, listening } from "../support/servers.js";
import { words } from "../support/words.js";

/** An app that makes no calls. */
const APP = `
  const orders = {};
  require("node:http").createServer((request, response) => {
    const id = request.url.split("/").at(-1);
    if (request.method === "POST") orders[id] = (orders[id] ?? 0) + 1;
    response.end(JSON.stringify({ delivered: orders[id], env: typeof process.env.PAYMENTS_BASE_URL }));
  }).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("the app is " + process.pid));
`;

async function exploring(source: string, ...flags: readonly string[]) {
  const port = await freePort();
  const args = words`--explore ${fileWith(PRESSES)} --app 127.0.0.1:${port} ${flags} -- ${process.execPath} -e ${source}`;
  return run(["exec", ...args], { env: { PORT: String(port) } });
}

it.each(addExploreOptions(new Command()).options)("exec refuses $long without --explore", async (option) => {
  const value = option.required ? ["x"] : [];
  const { code, stderr } = await run(["exec", option.long!, ...value, "--", "true"]);
  expect(code).toBe(2);
  expect(stderr).toBe(`payments-sandbox: ${option.long} goes with --explore, which names the flow\n`);
});

it("exec --explore starts the app, reports the findings, and stops the app", async () => {
  const { code, stdout, stderr } = await exploring(APP, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    complete_depth: 1,
    choices: 2,
    findings: ["pressed_twice", "pressed_again"].map((kind) => ({
      oracle: "money",
      message: "done more than once: body.delivered is 2, not 1",
      deviations: [{ kind }],
    })),
  });
  const [, pid] = /^the app is (\d+)\n$/.exec(stderr)!;
  expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
});

it("exec --explore prints the report even if the disk is too full for JUnit", async () => {
  const { code, stdout, stderr } = await exploring(APP, "--json", "--junit", "/dev/full");
  expect(code).toBe(1);
  expect(JSON.parse(stdout).findings).toHaveLength(2);
  expect(stderr).toContain("payments-sandbox: --junit /dev/full cannot be written: the disk is full\n");
});

it("exec --explore ends with the finding and the command line that repeats it", async () => {
  const { stdout } = await exploring(APP, "--depth", "1");
  const [above, found] = stdout.split("✗ money: done more than once: body.delivered is 2, not 1\n");
  expect(above).toContain("what the app survives");
  expect(found).toMatch(
    /\nto run it again: npx payments-sandbox exec --explore \S+ --app 127\.0\.0\.1:\d+ --depth 1 --only 'pressed_twice at POST \S+#1' -- \S+ -e '.*'\n$/,
  );
});

it("exec --explore reports how the app's process ended", async () => {
  const crashing = APP.replace(
    "orders[id] ?? 0) + 1;",
    "$& if (Object.keys(orders).length === 4) process.exit(3);",
  );
  const { code, stdout } = await exploring(crashing, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    complete_depth: 0,
    findings: [
      {
        oracle: "liveness",
        message: expect.stringMatching(/the app did not respond .* had ended with 3$/),
      },
    ],
  });
});

it("exec --explore exits with 2 when the app does not listen", async () => {
  const taken = await listening(createServer());
  const free = await freePort();
  for (const [flags, message] of [
    [["--app", `127.0.0.1:${free}`], "ended with 3 before it listened at http://127.0.0.1:"],
    [["--app", `127.0.0.1:${taken}`], "something listens at http://127.0.0.1:"],
    [["--app", "127.0.0.1:1", "--artifacts", "there"], "--artifacts cannot go with --explore"],
  ] as const) {
    const ends = words`-- ${process.execPath} -e process.exit(3)`;
    const { code, stdout, stderr } = await run(words`exec --explore ${fileWith(PRESSES)} ${flags} ${ends}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/);
    expect(stderr).toContain(message);
  }
});
