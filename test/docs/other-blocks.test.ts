import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { safeParse } from "../../src/core/schema/issues.js";
import { scenarioSchema } from "../../src/core/schema/scenario-rules.js";
import { ROOT } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { runnableBlocks } from "../support/runnable-docs.js";
import { type Block, blocksOf } from "./support/pages.js";
import { freePorts, UserProject } from "./support/user-project.js";

let project: UserProject;
let port: number;
let url: string;

beforeEach(async () => {
  project = new UserProject();
  port = (await freePorts(1))[0]!;
  url = `http://127.0.0.1:${port}`;
});

function blockOf(page: string, part: string): Block {
  const found = blocksOf(page).filter(({ code }) => code.includes(part));
  expect(found, part).toHaveLength(1);
  return found[0]!;
}

async function start(lines: string): Promise<void> {
  await project.terminal(lines, { PAYMENTS_SANDBOX_PORT: String(port) }).printed(/is ready/);
}

describe("docs/control.md", () => {
  it("waits for a charge and moves it; the stream begins with hello", async () => {
    const [begin, address] = blockOf("docs/control.md", "start --clock manual").code.split("\n");
    await start(begin!);
    expect(address).toBe("export PAYMENTS_SANDBOX_URL=http://127.0.0.1:4402");
    const charge = await Client.at(url).pay({ email: "ada@example.com" });
    const wait = blockOf("docs/control.md", "/_sandbox/wait").code;
    const env = { PAYMENTS_SANDBOX_URL: url, CHARGE_ID: charge };
    const { code, stdout } = await project.shell(wait, env);
    expect(code).toBe(0);
    expect(stdout).toContain(charge);
    expect(stdout).toContain('"failure_reason":"declined"');
    await project.terminal(blockOf("docs/control.md", "/_sandbox/stream").code, env).printed(/event: hello/);
  });

  it("has examples that run in order and print JSON", async () => {
    await start("npx payments-sandbox");
    const blocks = runnableBlocks("docs/control.md");
    expect(blocks.length).toBeGreaterThan(7);
    for (const { name, code } of blocks) {
      const { stdout, stderr } = await project.shell(code, { PAYMENTS_SANDBOX_URL: url });
      expect([name, stdout], stderr).toEqual([name, expect.stringMatching(/^\{.*\}$/s)]);
    }
  });
});

it("docs/coming-from.md turns an MSW handler into a scenario", () => {
  const { code } = blockOf("docs/coming-from.md", "first-try-fails");
  expect(safeParse(scenarioSchema, parse(code))).toMatchObject({ ok: true });
});

describe("docs/writing-scenarios.md", () => {
  it("runs a folder of files, in separate sandboxes and against a running one", async () => {
    mkdirSync(join(project.folder, "flows"));
    for (const name of ["flow_card.yaml", "flow_refund.yaml"])
      copyFileSync(join(ROOT, "scenarios", name), join(project.folder, "flows", name));
    await start("npx payments-sandbox --rate-limit off");
    const lines = blockOf("docs/writing-scenarios.md", "--url localhost:4402").code.replaceAll(
      "4402",
      String(port),
    );
    const { code, stdout, stderr } = await project.shell(lines);
    expect(code, stderr).toBe(0);
    expect(stdout.match(/2 of 2 scenarios passed/g)).toHaveLength(3);
    expect(readFileSync(join(project.folder, "report.xml"), "utf8")).toContain("<testsuite");
  });
});
