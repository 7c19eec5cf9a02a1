import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT } from "../support/process-command.js";
import { cleanEnvironment, install, MANIFEST, pack, removeProjects, type Tarball } from "./support/packed.js";

const MEGABYTE = 1024 * 1024;

let tarball: Tarball;
let folder: string;
let warnings: string;
let installed: string;

beforeAll(async () => {
  tarball = await pack();
  ({ folder, warnings } = await install(tarball));
  installed = join(folder, "node_modules/payments-sandbox");
});
afterAll(removeProjects);

const paths = (): string[] => tarball.files.map(({ path }) => path);

/** A tool of ours asked about the tarball; what it prints when it finds fault is the failure. */
function finds(script: string, ...args: string[]): string {
  try {
    execFileSync(process.execPath, [join(ROOT, "node_modules", script), ...args], {
      encoding: "utf8",
      env: cleanEnvironment(),
    });
    return "";
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr || String(error);
  }
}

it("is under a megabyte", () => {
  expect(tarball.size).toBeGreaterThan(100_000);
  expect(tarball.size).toBeLessThan(MEGABYTE);
});

it("brings nothing else with it, far under 25 packages", () => {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/payments-sandbox"]);
});

it("is installed without a warning, and packing leaves the manifest as it was", () => {
  expect(warnings).toBe("");
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8")).scripts).not.toHaveProperty(
    "prepare",
  );
  expect(tarball.manifest).toBe(readFileSync(join(ROOT, "package.json"), "utf8"));
});

it("contains what it needs, and nothing of the workshop", () => {
  const known = [
    /^(LICENSE|README\.md|THIRD-PARTY\.md|package\.json)$/,
    /^bin\/(payments-sandbox\.js|package\.json)$/,
    /^dist\/(chunks\/)?[\w-]+\.c?js$/,
    /^dist\/(shipped|openapi-(service|control))\.json$/,
    /^dist\/types\/[\w/-]+\.d\.c?ts$/,
    /^fixtures\/[\w-]+\.yaml$/,
    /^scenarios\/([\w-]+\.yaml|schema\.json)$/,
    /^docs\/(cookbook\/)?[\w-]+\.md$/,
  ];
  expect(paths().filter((path) => !known.some((one) => one.test(path)))).toEqual([]);
  for (const path of [
    "LICENSE",
    "README.md",
    "THIRD-PARTY.md",
    "dist/shipped.json",
    "dist/openapi-service.json",
    "scenarios/schema.json",
  ])
    expect(paths()).toContain(path);
});

it("has all the package refers to", () => {
  const named = [
    ...Object.values(MANIFEST.bin),
    ...JSON.stringify(MANIFEST.exports).matchAll(/"(\.\/[^"]+\.\w+)"/g),
  ].map((one) => (typeof one === "string" ? one : one[1]!).replace(/^\.\//, ""));
  expect(named.length).toBeGreaterThan(3);
  for (const path of named) expect(paths()).toContain(path);
});

it("has a command that may be executed", () => {
  const modes = tarball.files
    .filter(({ path }) => /^bin\/.*\.js$/.test(path))
    .map(({ mode }) => mode & 0o111);
  expect(modes).toEqual([0o111]);
  expect(readFileSync(join(installed, "bin/payments-sandbox.js"), "utf8")).toMatch(
    /^#!\/usr\/bin\/env node\n/,
  );
});

it("says nothing of the machine it was made on", () => {
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

it("has types that every way of importing finds (attw)", () => {
  expect(finds("@arethetypeswrong/cli/dist/index.js", tarball.file, "--no-definitely-typed")).toBe("");
});

it("is packed as it should be (publint)", () => {
  expect(finds("publint/src/cli.js", "run", tarball.file, "--strict")).toBe("");
});
