import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../support/process-command.js";
import { freePort } from "../support/servers.js";
import { UserProject } from "../support/user-project.js";

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const action = parse(readFileSync(join(ROOT, "action.yml"), "utf8"));
const steps = action.runs.steps as Step[];

let project: UserProject;
beforeEach(() => {
  project = new UserProject();
});

const read = (name: string) => {
  const file = join(project.folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** Runs the action as a CI runner does. */
async function runAction(given: Readonly<Record<string, string>>) {
  const inputs: Record<string, string> = {};
  for (const [name, input] of Object.entries(action.inputs)) {
    inputs[name] = given[name] ?? (input as { default: string }).default;
  }
  mkdirSync(join(project.folder, "runner"), { recursive: true });
  const port = await freePort();
  const output: string[] = [];
  for (const step of steps) {
    if (step.run === undefined) continue;
    if (step.if !== undefined && (step.if === "inputs.run != ''") !== (inputs.run !== "")) continue;
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_all, input: string) => inputs[input]!),
    ]);
    const end = await project.shell(
      step.run,
      {
        ...Object.fromEntries(env),
        RUNNER_TEMP: join(project.folder, "runner"),
        GITHUB_ACTION_PATH: join(project.folder, "action"),
        GITHUB_PATH: join(project.folder, "path"),
        GITHUB_ENV: join(project.folder, "env"),
        GITHUB_OUTPUT: join(project.folder, "output"),
        PAYMENTS_SANDBOX_PORT: String(port),
        PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${port}`,
        PATH: `${read("path").trim()}:${process.env.PATH}`,
      },
      ["bash", "-eo", "pipefail", "-c"],
    );
    output.push(end.stdout, end.stderr);
    if (end.code !== 0) return { code: end.code, output: output.join(""), port };
  }
  return { code: 0, output: output.join(""), port };
}

const file = join(ROOT, "dist/payments-sandbox.mjs");

it("action.yml refers only to existing inputs and steps", () => {
  const text = JSON.stringify(action);
  for (const { run } of steps) expect(run ?? "").not.toContain("${{");
  for (const [, input] of text.matchAll(/inputs\.([\w-]+)/g)) expect(action.inputs).toHaveProperty(input!);
  for (const [, id] of text.matchAll(/steps\.(\w+)\./g)) expect(steps.map((one) => one.id)).toContain(id);
});

it("action.yml refers to actions by commit", () => {
  const text = readFileSync(join(ROOT, "action.yml"), "utf8");
  for (const [, name] of text.matchAll(/uses: (\S+)/g)) expect(name).toMatch(/^[\w/-]+@[0-9a-f]{40}$/);
  expect(text).not.toMatch(/payments-sandbox@/);
});

it("action.yml installs the package of its own checkout", async () => {
  mkdirSync(join(project.folder, "action"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", join(project.folder, "action")], {
    cwd: ROOT,
    stdio: "pipe",
  });
  const { code, output } = await runAction({ run: "payments-sandbox --version > version.txt" });
  expect(code, output).toBe(0);
  expect(read("version.txt")).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it("action.yml runs a command with a sandbox and keeps the artifacts", async () => {
  const fails = 'curl -s "$PAYMENTS_BASE_URL/health" > health.json; exit 3';
  expect(await runAction({ file, run: fails, options: "--seed a --scenario declined" })).toMatchObject({
    code: 3,
  });
  expect(read("health.json")).not.toBe("");
  expect(read("payments-sandbox-artifacts/exec.json")).toContain('"declined"');
});

it("action.yml starts a sandbox for the following steps", async () => {
  const { code, output, port } = await runAction({ file });
  expect(code, output).toBe(0);
  const said = Object.fromEntries(
    read("output")
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
  expect(Object.keys(said).sort()).toEqual(Object.keys(action.outputs).sort());
  expect(said).toMatchObject({ url: `http://127.0.0.1:${port}`, "api-key": "sk_test_sandbox" });
  expect(read("env")).toContain("PAYMENTS_API_KEY=sk_test_sandbox");
  expect((await fetch(`${said.url}/health`)).status).toBe(200);
});
