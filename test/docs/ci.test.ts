import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { FETCH_REQUIRED } from "../support/light-fetch.js";
import { freePorts, UserProject } from "../support/user-project.js";
import { markedBlock, pageText } from "./support/pages.js";

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly if?: string;
}

/** The YAML blocks of a section. */
function recipes(section: string) {
  const [, text] = pageText("docs/ci.md").split(`## ${section}\n`);
  return [...text!.split("\n## ")[0]!.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, code]) => parse(code!));
}

const [githubExec, githubBackground] = recipes("GitHub Actions").map((one) => one.jobs.test.steps as Step[]);
const [gitlabExec, gitlabBackground] = recipes("GitLab CI").map((one) => one.test.script as string[]);

/** The commands of CircleCI's steps; the others are its own. */
const circle = (recipes("CircleCI")[0].jobs.test.steps as (string | { run?: string })[]).flatMap((step) =>
  typeof step === "string" || step.run === undefined ? [] : [step.run],
);

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
/** As if the job's port were this one. */
let environment: Record<string, string>;

beforeEach(async () => {
  project = new UserProject();
  project.write("package.json", '{ "scripts": { "test": "node tests.cjs" } }\n');
  const [port] = await freePorts(1);
  environment = { PAYMENTS_SANDBOX_PORT: String(port), PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${port}` };
});

/** Acts as a runner: a shell for each step, with the variables of GITHUB_ENV from the next step on. */
async function runGithub(steps: readonly Step[]): Promise<{ passed: boolean; output: string }> {
  const file = join(project.folder, "github-env");
  let output = "";
  let passed = true;
  for (const { run, if: condition } of steps) {
    if (run === undefined || run === "npm ci") continue;
    if (passed !== (condition !== "failure()")) continue;
    const said = existsSync(file) ? readFileSync(file, "utf8") : "";
    const added = said.split("\n").flatMap((line) => (line === "" ? [] : [line.split(/=(.*)/s).slice(0, 2)]));
    const env = { ...environment, ...Object.fromEntries(added), GITHUB_ENV: file };
    const end = await project.shell(run, env, ["bash", "-ec"]);
    output += end.stdout + end.stderr;
    passed &&= end.code === 0;
  }
  return { passed, output };
}

/** One shell for the whole script. */
async function runGitlab(script: readonly string[]): Promise<{ passed: boolean; output: string }> {
  const lines = script.filter((line) => line !== "npm ci").join("\n");
  const end = await project.shell(lines, environment, ["bash", "-eo", "pipefail", "-c"]);
  return { passed: end.code === 0, output: end.stdout + end.stderr };
}

const RECIPES = {
  "GitHub, exec": () => runGithub(githubExec!),
  "GitHub, in the background": () => runGithub(githubBackground!),
  "GitLab, exec": () => runGitlab(gitlabExec!),
  "GitLab, in the background": () => runGitlab(gitlabBackground!),
  CircleCI: () => runGitlab(circle),
};
type Recipe = keyof typeof RECIPES;

/** Runs a recipe with these tests of the app. */
async function recipe(name: Recipe, tests: string) {
  project.write("tests.cjs", tests);
  return RECIPES[name]();
}

describe("the recipes of docs/ci.md", { timeout: 60_000 }, () => {
  it.each(Object.keys(RECIPES) as Recipe[])("%s: pass with the app's tests", async (name) => {
    const { passed, output } = await recipe(name, PASSING);
    expect(passed, output).toBe(true);
    expect(output).toContain("the app's tests: 200 whsec_");
  });

  it.each(["GitHub, exec", "GitLab, in the background"] as const)(
    "%s: fail with the app's tests",
    async (name) => {
      const { passed, output } = await recipe(name, FAILING);
      expect(passed, output).toBe(false);
      expect(output).toContain("the app's tests: 404 whsec_");
    },
  );

  it("GitHub, in the background: print the app's calls after a failure", async () => {
    const { passed, output } = await recipe("GitHub, in the background", FAILING);
    expect(passed).toBe(false);
    expect(output).toMatch(/GET +\/api\/v1\/payments\/charges\/ch_0 .*404/);
    expect(output).toContain('"operations"');
    expect(output).toContain("payments-sandbox is ready");
  });
});

describe("the recipe for scenario files and an app", { timeout: 60_000 }, () => {
  const steps = recipes("Scenario files against your app")[0].jobs.test.steps as Step[];
  const tutorial = (name: string) => markedBlock("docs/getting-started.md", `file: ${name}`).code;

  /** Runs the recipe with an app on a free port. */
  async function runWith(app: string) {
    const [port] = await freePorts(1);
    mkdirSync(join(project.folder, "flows"));
    project.write("flows/paid-once.yaml", tutorial("paid-once.yaml"));
    project.write("package.json", '{ "scripts": { "start": "node app.mjs" } }\n');
    project.write("app.mjs", app);
    environment.PORT = String(port);
    return runGithub(
      steps.map((step) => (step.run ? { ...step, run: step.run.replaceAll("3000", String(port)) } : step)),
    );
  }

  it("passes with a correct app, and writes JUnit", async () => {
    const { passed, output } = await runWith(tutorial("app.mjs"));
    expect(passed, output).toBe(true);
    expect(output).toContain("1 of 1 scenario passed");
    expect(readFileSync(join(project.folder, "report.xml"), "utf8")).toContain("<testsuite");
  });

  it("fails with an app that ignores the webhook of a paid charge", async () => {
    const { passed, output } = await runWith(
      tutorial("app.mjs").replace('"charge.completed"', '"charge.paid"'),
    );
    expect(passed, output).toBe(false);
    expect(output).toContain("0 of 1 scenario passed");
  });
});
