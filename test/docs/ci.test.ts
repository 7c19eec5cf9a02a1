import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FETCH_REQUIRED } from "../support/light-fetch.js";
import { freePort } from "../support/servers.js";
import { UserProject } from "../support/user-project.js";
import { markedBlock } from "./support/pages.js";

interface Step {
  readonly run?: string;
}

const PAGE = "docs/testing.md";
const steps: readonly Step[] = parse(markedBlock(PAGE, "workflow: suite").code).jobs.test.steps;
const [scenarios]: readonly Step[] = parse(markedBlock(PAGE, "step: scenarios").code);

/** Commands of the workflow, without `npm ci`. */
const SUITE = steps.flatMap(({ run }) => (run === undefined || run === "npm ci" ? [] : [run])).join("\n");

/** A test that reads balances and prints part of the secret. */
const PASSING = `${FETCH_REQUIRED}
  const { PAYMENTS_BASE_URL: base, PAYMENTS_API_KEY: key, PAYMENTS_WEBHOOK_SECRET: secret } = process.env;
  const headers = { authorization: "Bearer " + key };
  fetch(base + "/api/v1/accounts/balances", { headers }).then(({ status }) => {
    console.log("the app's tests:", status, secret.slice(0, 6));
    process.exit(status === 200 ? 0 : 1);
  });
`;
const FAILING = PASSING.replace("accounts/balances", "payments/charges/ch_0");

let project: UserProject;
beforeEach(() => {
  project = new UserProject();
});

/** Runs the whole step in one shell. */
async function runStep(lines: string, env: Record<string, string> = {}) {
  const end = await project.shell(lines, env, ["bash", "-eo", "pipefail", "-c"]);
  return { code: end.code, output: end.stdout + end.stderr };
}

describe("the workflow of docs/testing.md", { timeout: 60_000 }, () => {
  it.each([
    ["passes with the app's tests", PASSING, 0, "the app's tests: 200 whsec_"],
    ["fails with the app's tests", FAILING, 1, "the app's tests: 404 whsec_"],
  ])("the workflow of docs/testing.md %s, and keeps the artifacts", async (_title, tests, expected, told) => {
    project.write("package.json", '{ "scripts": { "test": "node tests.cjs" } }\n');
    project.write("tests.cjs", tests);
    const { code, output } = await runStep(SUITE);
    expect(code, output).toBe(expected);
    expect(output).toContain(told);
    expect(readFileSync(join(project.folder, "sandbox-artifacts/exec.json"), "utf8")).toContain("exit_code");
  });
});

describe("the step for scenario files and an app", { timeout: 60_000 }, () => {
  const tutorial = (name: string) => markedBlock("docs/start.md", `file: ${name}`).code;

  async function runWith(app: string) {
    const port = await freePort();
    mkdirSync(join(project.folder, "flows"));
    project.write("flows/paid.yaml", tutorial("paid.yaml"));
    project.write("package.json", '{ "scripts": { "start": "node shop.mjs" } }\n');
    project.write("shop.mjs", app);
    return runStep(scenarios!.run!.replaceAll("3000", String(port)), { PORT: String(port) });
  }

  it("the step for scenario files passes with a correct app", async () => {
    const { code, output } = await runWith(tutorial("shop.mjs"));
    expect(code, output).toBe(0);
    expect(output).toContain("1 of 1 scenario passed");
    expect(readFileSync(join(project.folder, "report.xml"), "utf8")).toContain("<testsuite");
  });

  it("the step for scenario files fails with an app that ignores a webhook", async () => {
    const { code, output } = await runWith(
      tutorial("shop.mjs").replace('"charge.completed"', '"charge.paid"'),
    );
    expect(code, output).not.toBe(0);
    expect(output).toContain("0 of 1 scenario passed");
  });
});
