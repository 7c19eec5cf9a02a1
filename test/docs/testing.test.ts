import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSandbox, Sandbox } from "../../src/library/index.js";
import { Project } from "../support/packed.js";
import { installSet } from "../support/test-packages.js";
import { blocksOfKind, pageText } from "./support/pages.js";

const PAGE = "docs/testing.md";
const files = Object.fromEntries(blocksOfKind(PAGE, "file").map(({ name, code }) => [name, code]));

/** The setup of server.test.mjs as the page says to write it for node:test. */
const SERVER_NODE = files["server.test.mjs"]!.replace(
  /import .* from "vitest";/,
  'import * as hooks from "node:test";\nimport { deepEqual } from "node:assert/strict";',
)
  .replace("setupSandbox()", "setupSandbox({ hooks })")
  .replace("beforeAll(async () => {", "hooks.before(async () => {\n  await sandbox.ready;")
  .replace("afterAll(", "hooks.after(")
  .replace("test(", "hooks.test(")
  .replace(/expect\((.*)\)\.toEqual\((.*)\)/, "deepEqual($1, $2)");

const project = new Project(
  { ...files, "server.node.mjs": SERVER_NODE },
  ["express", "vitest", "standardwebhooks"],
  { jest: join(await installSet("jest"), "jest"), msw: join(await installSet("msw"), "msw") },
);

const JEST = ["node_modules/jest/bin/jest.js", "--ci", "--colors=false"];
const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const RECIPES = [
  ["msw.test.mjs order.test.mjs server.test.mjs", VITEST, /Tests +4 passed \(4\)/],
  ["order.node.mjs", ["--test", "--test-reporter=tap"], /^# pass 1$/m],
  ["order.test.cjs", JEST, /^Tests: +1 passed, 1 total$/m],
] as const;

describe(PAGE, () => {
  it("every recipe has a test in this file", () => {
    expect(Object.keys(files).sort()).toEqual(
      ["app.cjs", "server.mjs", ...RECIPES.flatMap(([names]) => names.split(" "))].sort(),
    );
  });

  it.each(RECIPES)("%s passes unchanged", async (names, runner, passed) => {
    const { code, stdout, stderr } = await project.run([...runner, ...names.split(" ")]);
    expect(stdout + stderr).toMatch(passed);
    expect(code).toBe(0);
  });

  it.each(RECIPES)("%s passes on a shared server", async (names, runner, passed) => {
    await using server = await createSandbox();
    const { url } = await server.listen();
    const { code, stdout, stderr } = await project.run([...runner, ...names.split(" ")], {
      PAYMENTS_SANDBOX_URL: url,
    });
    expect(stdout + stderr).toMatch(passed);
    expect(code).toBe(0);
  });

  it("the setup of an app on a port passes with hooks of node:test", async () => {
    const { code, stdout } = await project.run(["--test", "--test-reporter=tap", "server.node.mjs"]);
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(code).toBe(0);
  });

  it("the example in docs/testing.md passes with exec", async () => {
    const bin = "node_modules/payments-sandbox/bin/payments-sandbox.js";
    const line = [bin, "exec", "--", process.execPath, ...VITEST, "order.test.mjs"];
    const { code, stdout, stderr } = await project.run(line);
    expect(stdout + stderr).toMatch(/Tests +2 passed \(2\)/);
    expect(code).toBe(0);
  });

  it("docs/testing.md names all members of a sandbox", async () => {
    await using sandbox = await createSandbox();
    const names = [...Object.getOwnPropertyNames(Sandbox.prototype), ...Object.keys(sandbox)];
    expect(names).toEqual(expect.arrayContaining(["advance", "fetch", "onWebhook", "url"]));
    for (const name of names.filter((one) => one !== "constructor"))
      expect(pageText(PAGE)).toMatch(new RegExp(`\\| .*\`${name}[\`(]`));
  });
});
