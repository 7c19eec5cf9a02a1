import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import config from "../vitest.config.js";
import { ROOT } from "./support/built.js";
import { installSet } from "./support/test-packages.js";

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

function filesOf(mode: string) {
  const { include, exclude } = config({ mode, command: "serve" }).test!;
  return { include, exclude };
}

it("npm run test:rest runs the files that npm test leaves out, and no other", () => {
  const all = filesOf("test");
  const quick = filesOf("quick");
  expect(all).toEqual({ include: ["test/**/*.test.ts"], exclude: [] });
  expect(quick.include).toEqual(all.include);
  expect(quick.exclude!.length).toBeGreaterThan(10);
  expect(filesOf("rest")).toEqual({ include: quick.exclude, exclude: [] });
});

it("npm test refuses a file that installs packages", async () => {
  vi.stubEnv("MODE", "quick");
  await expect(installSet("msw")).rejects.toThrow("npm test runs without packages of test/packages.json");
});

it("a clone installs at most 250 packages, of every platform, and names no host", () => {
  const lock = textOf("package-lock.json");
  expect(Object.keys(JSON.parse(lock).packages).length).toBeLessThanOrEqual(250);
  expect(lock).not.toContain('"resolved"');
});

it("test/packages.json has exact versions", () => {
  const sets: Record<string, string>[] = Object.values(JSON.parse(textOf("test/packages.json")));
  expect(sets.length).toBeGreaterThan(5);
  for (const version of sets.flatMap(Object.values)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

it("README.md names the commands that start and test a clone in one line", () => {
  expect(textOf("README.md")).toMatch(/`npm ci && npm start`.*`npm ci && npm test`/);
});

it("CONTRIBUTING.md names every script of package.json", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const run = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name));
  const guide = textOf("CONTRIBUTING.md");
  const named = run.filter((name) => new RegExp(`^npm (run )?${name}( |$)`, "m").test(guide));
  expect(named).toEqual(run);
});
