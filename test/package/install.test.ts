import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, expect, it } from "vitest";
import { ChildOutput } from "../support/child-output.js";
import { isAlive, ROOT } from "../support/process-command.js";
import { installSet } from "../support/test-packages.js";
import { typeComplaints } from "../support/typecheck.js";
import {
  DOORS,
  install,
  MANIFEST,
  offlineEnvironment,
  pack,
  REQUIRED_DOORS,
  type Tarball,
} from "./support/packed.js";

/** Code for a user's compiler. */
const USE = `
import { createSandbox, type Sandbox, SandboxError } from "payments-sandbox";
export async function fired(): Promise<number> {
  const sandbox: Sandbox = await createSandbox({ clock: "manual", seed: "package" });
  const health: Response = await sandbox.fetch(new Request("http://sandbox/health"));
  const refused: unknown = await sandbox.transition("ch_x", "PENDING").catch((error: unknown) => error);
  void [health.status, refused instanceof SandboxError ? refused.code : "?"];
  return (await sandbox.advance("10s")).fired_total;
}
// @ts-expect-error there is no such option
void (() => createSandbox({ clok: "manual" }));
// @ts-expect-error a charge has no such status
void ((sandbox: Sandbox) => sandbox.transition("ch_x", "PAID"));
`;

/** Imports the types of every entry point. */
const everyDoor = (doors: readonly string[]): string =>
  doors.map((door, index) => `import * as door${index} from "${door}";\nvoid door${index};\n`).join("");

let tarball: Tarball;
let folder: string;
let warnings: string;
let installed: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  tarball = await pack();
  ({ folder, warnings } = await install(tarball, {
    "use.mts": USE + everyDoor(DOORS),
    "use.cts": USE + everyDoor(REQUIRED_DOORS),
  }));
  installed = join(folder, "node_modules/payments-sandbox");
});
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
});

function start(command: string, ...args: string[]): ChildOutput {
  const child = spawn(command, args, { cwd: folder, env: offlineEnvironment() });
  children.push(child);
  return new ChildOutput(child);
}

/** Binary that npx runs, in a third of npx's time. */
const COMMAND = "node_modules/.bin/payments-sandbox";

it("npx runs the package's command", async () => {
  expect(await start("npx", "--offline", "payments-sandbox", "--version").ended).toMatchObject({
    code: 0,
    stdout: `${MANIFEST.version}\n`,
  });
});

it("the command starts, responds, and exits with 0 on SIGTERM", async () => {
  const output = start(COMMAND, "--json", "--port", "0");
  const ready = JSON.parse((await output.printed(/^\{.*\}\n/))[0]);
  try {
    const health = await fetch(`${ready.url}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ version: MANIFEST.version });
    const headers = { authorization: `Bearer ${ready.api_key}` };
    expect((await fetch(`${ready.url}/api/v1/accounts/balances`, { headers })).status).toBe(200);
  } finally {
    process.kill(ready.pid, "SIGTERM");
  }
  expect((await output.ended).code).toBe(0);
  expect(isAlive(ready.pid)).toBe(false);
});

it("the command runs the scenario of init and a built-in scenario", async () => {
  expect((await start(COMMAND, "init").ended).code).toBe(0);
  const shipped = "node_modules/payments-sandbox/scenarios/flow_card.yaml";
  const { code, stdout } = await start(COMMAND, "run", "payments-sandbox.scenario.yaml", shipped).ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining("2 of 2 scenarios passed")]);
});

const STRICT = [
  "--strict",
  "--skipLibCheck",
  "false",
  // Does not check TypeScript's own declarations, which take most of the time.
  "--skipDefaultLibCheck",
  "--exactOptionalPropertyTypes",
  "--target",
  "ES2022",
  "--module",
  "node16",
];
const tsc = (...args: string[]): string =>
  typeComplaints(folder, ["--noEmit", "--singleThreaded", ...STRICT, ...args]);
const ofNode = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];

it.each([
  ["without those of Node", []],
  ["with those of Node, without those of the DOM", ["--lib", "ES2022", ...ofNode]],
  ["with both, which declare the same names", ["--lib", "ESNext,DOM", ...ofNode]],
])("types compile %s", (_what, args) => {
  expect(tsc(...args, "use.mts", "use.cts")).toBe("");
});

it("types report missing names without the types of Node and the DOM", () => {
  const told = tsc("--lib", "ES2022", "use.mts");
  const names = new Set([...told.matchAll(/Cannot find name '(\w+)'/g)].map((match) => match[1]));
  expect([...names]).toEqual(expect.arrayContaining(["Request", "Response", "AbortSignal"]));
  // One of the two suffices.
  expect(names).not.toContain("Buffer");
  expect(names).not.toContain("NodeJS");
});

it("every entry point can be imported and required", () => {
  const all = (open: string, doors: readonly string[]) =>
    `${doors.map((door) => `${open}("${door}");`).join("")} console.log("ok")`;
  const node = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: offlineEnvironment() });
  expect(node("--input-type=module", "-e", all("await import", DOORS))).toBe("ok\n");
  expect(node("-e", all("require", REQUIRED_DOORS))).toBe("ok\n");
});

const MEGABYTE = 1024 * 1024;
const paths = (): string[] => tarball.files.map(({ path }) => path);

/** Output of a tool that checks the package; empty without a fault. */
async function finds(script: string, ...args: string[]): Promise<string> {
  const packages = await installSet("package-lint");
  try {
    execFileSync(process.execPath, [join(packages, script), ...args], {
      encoding: "utf8",
      env: offlineEnvironment(),
    });
    return "";
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr || String(error);
  }
}

it("the package is under a megabyte", () => {
  expect(tarball.size).toBeGreaterThan(100_000);
  expect(tarball.size).toBeLessThan(MEGABYTE);
});

it("the package installs no other package", () => {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/payments-sandbox"]);
});

it("the package installs without a warning", () => {
  expect(warnings).toBe("");
  const { scripts } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect(scripts).not.toHaveProperty("prepare");
  expect(tarball.manifest).toBe(readFileSync(join(ROOT, "package.json"), "utf8"));
});

it("the package contains all required files, and no development files", () => {
  const known = [
    /^(CHANGELOG\.md|LICENSE|README\.md|THIRD-PARTY\.md|package\.json)$/,
    /^bin\/(payments-sandbox\.js|package\.json)$/,
    /^dist\/(chunks\/)?[\w-]+\.c?js$/,
    /^dist\/(shipped|pages|openapi-(service|control))\.json$/,
    /^dist\/types\/[\w/-]+\.d\.c?ts$/,
    /^fixtures\/[\w-]+\.yaml$/,
    /^scenarios\/([\w-]+\.yaml|schema\.json)$/,
    /^docs\/([\w-]+\.md|rules\.yaml)$/,
    /^docs\/pictures\/[\w-]+\.png$/,
    /^examples\/incidents\/([\w-]+\/)?(README\.md|(app|fixed)\.(mjs|php|py|rb)|flow\.yaml)$/,
  ];
  expect(paths().filter((path) => !known.some((one) => one.test(path)))).toEqual([]);
  const needed = ["LICENSE", "README.md", "THIRD-PARTY.md", "dist/shipped.json", "dist/pages.json"];
  expect(paths()).toEqual(expect.arrayContaining([...needed, "scenarios/schema.json"]));
});

it("the package contains all files that it refers to", () => {
  const named = [
    ...Object.values(MANIFEST.bin),
    ...JSON.stringify(MANIFEST.exports).matchAll(/"(\.\/[^"]+\.\w+)"/g),
  ].map((one) => (typeof one === "string" ? one : one[1]!).replace(/^\.\//, ""));
  expect(named.length).toBeGreaterThan(3);
  for (const path of named) expect(paths()).toContain(path);
});

it("the package contains every file that its docs link to", () => {
  const links = paths()
    .filter((path) => path.endsWith(".md"))
    .flatMap((page) =>
      [...readFileSync(join(installed, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
        ([, path]) => ({ page, target: join(dirname(page), path!) }),
      ),
    );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ target }) => !existsSync(join(installed, target)))).toEqual([]);
});

it("the package has an executable command", () => {
  const [command, ...others] = tarball.files.filter(({ path }) => /^bin\/.*\.js$/.test(path));
  expect([command!.mode & 0o111, others]).toEqual([0o111, []]);
  expect(readFileSync(join(installed, command!.path), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

it("the package contains no path of the build machine", () => {
  const places = [ROOT.replace(/\/$/, ""), homedir()].filter((place) => place.length > 1);
  const isTold = (text: string) =>
    places.some((place) => text.includes(`${place}/`)) || /sourceMappingURL=|["'`(]\/home\/\w/.test(text);
  expect(isTold(`at ${ROOT}src`)).toBe(true);
  const told = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => isTold(readFileSync(file, "utf8")));
  expect(told).toEqual([]);
});

it("the package has types for each kind of import (attw)", async () => {
  expect(await finds("@arethetypeswrong/cli/dist/index.js", tarball.file, "--no-definitely-typed")).toBe("");
});

it("the package passes publint", async () => {
  expect(await finds("publint/src/cli.js", "run", tarball.file, "--strict")).toBe("");
});
