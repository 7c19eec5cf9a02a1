// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Command, run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { startServer } from "../support/started.js";

const SNAPSHOT = join(import.meta.dirname, "cli.txt");
const PASSES = "name: good\nsteps:\n  - request: GET /api/v1/payments/payins\n  - advance: 1h\n";

/** Replaces durations, and drops warnings of Node. */
function masked(text: string): string {
  return (text.startsWith("{") ? `${JSON.stringify(JSON.parse(text))}\n` : text)
    .replace(/ +\d+ ms$/gm, "  N ms")
    .replace(/("duration_ms":| time=")[\d.]+/g, "$1N")
    .replace(/ timestamp="[\dT:.-]+Z"/g, ' timestamp="T"')
    .replace(/^\((node:\d+|Use `node).*\n/gm, "");
}

it("run and validate print the output in cli.txt", async () => {
  const cwd = temporaryFolder();
  let written = "";
  // Each block has a heading, files after `== name`, and commands with their output.
  for (const block of readFileSync(SNAPSHOT, "utf8").split(/^(?=[#$]|== )/m)) {
    const [first = ""] = block.split("\n", 1);
    const [, name] = /^== (\S+)$/.exec(first) ?? [];
    if (name !== undefined) writeFileSync(join(cwd, name), block.slice(first.length + 1).trimStart());
    if (!first.startsWith("$ ")) {
      written += block;
      continue;
    }
    const { code, stdout, stderr } = await run(first.slice(2).split(" "), { cwd });
    const blank = block.endsWith("\n\n") ? "\n" : "";
    written += `${first}\n${masked(stdout)}${masked(stderr).replace(/^(?=.)/gm, "! ")}→ ${code}\n`;
    const xml = join(cwd, "report.xml");
    if (first.includes("report.xml") && existsSync(xml)) written += masked(readFileSync(xml, "utf8"));
    written += blank;
  }
  await expect(written).toMatchFileSnapshot(SNAPSHOT);
});

it.each([
  ["interrupted", "SIGINT"],
  ["killed", "SIGKILL"],
] as const)("run leaves a sandbox unchanged when it is %s", async (how, signal) => {
  const { url } = await startServer();
  const text = `name: long
charges: [{ timeline: [] }]
steps:
  - fault: { match: { operation: getBalances }, respond: { status: 500 } }
  - { wait_for: charge, within: 1h }
  - advance: 1h
`;
  const running = new Command(["run", fileWith(text), "--url", url]);
  const read = async (path: string) =>
    (await (await fetch(`${url}/_sandbox${path}`)).json()) as Record<string, unknown>;
  await expect.poll(async () => (await read("/faults")).total).toBe(1);
  expect(await read("/clock")).toMatchObject({ mode: "manual" });
  expect(JSON.stringify(await read("/scenarios?limit=100"))).toContain('"long"');
  const ended = await running.stop(signal);
  if (signal === "SIGINT") expect(ended).toMatchObject({ code: 130, stdout: expect.stringContaining(how) });
  await expect.poll(async () => (await read("/clock")).mode).toBe("real");
  expect(await read("/faults")).toMatchObject({ total: 0 });
  expect(JSON.stringify(await read("/scenarios?limit=100"))).not.toContain('"long"');
});

it("run uses a new namespace when another run holds the default one", async () => {
  const { url } = await startServer();
  const lease = { method: "POST", headers: { "sandbox-run": "other", "content-type": "application/json" } };
  await fetch(`${url}/_sandbox/lease`, { ...lease, body: "{}" });
  const elsewhere = await run(["run", fileWith(PASSES), "--url", url]);
  expect(elsewhere.code).toBe(0);
  expect(elsewhere.stdout).toMatch(
    /\n {2}○ in its own namespace run-\w+: another run is using the one requested\n/,
  );
  const unknown = await run(["run", fileWith(PASSES), "--url", url, "--namespace", "nope"]);
  expect([unknown.code, unknown.stdout]).toEqual([
    2,
    expect.stringContaining('could not run: There is no namespace "nope"'),
  ]);
  const named = await run(["run", fileWith(PASSES), "--url", url, "--namespace", "default"]);
  expect(named.code).toBe(2);
  expect(named.stdout).toContain(
    'could not run: Run other has the namespace "default" until it ends: try again then, or name another\n',
  );
});

it("validate refuses a device, a folder and a pipe in one line each", async () => {
  const pipe = join(dirname(fileWith("")), "pipe");
  execFileSync("mkfifo", [pipe]);
  const files = ["/dev/zero", dirname(pipe), pipe];
  const { code, stdout } = await run(["validate", ...files]);
  expect({ code, stdout }).toEqual({
    code: 2,
    stdout: `/dev/zero: is not a plain file\n${dirname(pipe)}: is a folder\n${pipe}: is not a plain file\n`,
  });
});

it("validate refuses an unreadable config or fixtures file", async () => {
  const file = fileWith(PASSES);
  const config = fileWith('port: "x"\n', "payments-sandbox.config.yaml");
  for (const [flags, fault] of [
    [["-c", "/nowhere.yaml"], "/nowhere.yaml: there is no such file"],
    [["--fixtures", "/nowhere.yaml"], "/nowhere.yaml: there is no such file"],
    [["-c", config], `${config}:1:1 port: must be a number`],
  ] as const)
    expect(await run(["validate", ...flags, file])).toMatchObject({
      code: 2,
      stdout: `${file}: valid scenario\n`,
      stderr: `payments-sandbox: ${fault}\n`,
    });
  const json = await run(["validate", "--json", "-c", "/nowhere.yaml", file]);
  expect([json.code, JSON.parse(json.stdout)]).toEqual([2, [expect.objectContaining({ file })]]);
  const cwd = dirname(config);
  const broken = fileWith("name: x\nsteps: [{ advance: soon }]\n");
  expect(await run(["validate", broken], { cwd })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("advance"),
    stderr: "payments-sandbox: payments-sandbox.config.yaml:1:1 port: must be a number\n",
  });
  const env = { PAYMENTS_SANDBOX_PORT: "tcp://10.0.0.1:4402" };
  expect(await run(["validate", file], { env })).toMatchObject({ code: 0, stderr: "" });
  expect(await run(["validate", config, file], { cwd })).toMatchObject({
    code: 2,
    stdout: `${config}:1:1 port: must be a number\n${file}: valid scenario\n`,
    stderr: "",
  });
});
