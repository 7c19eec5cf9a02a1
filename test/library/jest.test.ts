import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { Project } from "../support/packed.js";
import { installSet } from "../support/test-packages.js";

/** Jest fails the run when a suite loads a module after its end. */
const SUITES = {
  "nothing.test.js": `
    const { setupSandbox } = require("payments-sandbox/testing");
    setupSandbox();
    test("has nothing to do with it", () => { expect(1).toBe(1); });`,
  "fetch.test.js": `
    const { setupSandbox } = require("payments-sandbox/testing");
    const sandbox = setupSandbox();
    test("calls without the port", async () => { expect((await sandbox.fetch("/health")).status).toBe(200); });`,
  "listen.test.js": `
    const { createSandbox } = require("payments-sandbox");
    test("listens and closes", async () => {
      const sandbox = await createSandbox();
      await sandbox.listen();
      await sandbox.close();
    });`,
  "unawaited.test.js": `
    const { createSandbox } = require("payments-sandbox");
    test("closes what has not begun to listen", async () => {
      const sandbox = await createSandbox();
      const listening = sandbox.listen().catch((error) => error.message);
      await sandbox.close();
      expect(await listening).toMatch(/closed/);
    });`,
  "under-way.test.js": `
    const { createSandbox } = require("payments-sandbox");
    test.each(["http://shop.test/hook", "https://127.0.0.1:9/hook"])("closes with a webhook to %s on its way", async (url) => {
      const sandbox = await createSandbox({ clock: "manual", webhooks: [url] });
      await sandbox.fetch("/_sandbox/events", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ type: "webhook.test", data: {} }),
      });
      await sandbox.close();
    });`,
  "asked.test.js": `
    const { createSandbox } = require("payments-sandbox");
    test.each(["/docs", "/_sandbox/docs", "/openapi.json", "/_sandbox/openapi.json", "/_sandbox/dashboard"])(
      "closes before %s has answered",
      async (path) => {
        const sandbox = await createSandbox();
        void sandbox.fetch(path).catch(() => {});
        await sandbox.close();
      },
    );`,
  "delivered.test.js": `
    const { createSandbox } = require("payments-sandbox");
    test.each(["http://localhost.:9/hook", "https://127.0.0.1:9/hook"])("tries %s", async (url) => {
      const sandbox = await createSandbox({ clock: "manual", webhooks: [url], controlToken: "generate" });
      await sandbox.fetch("/_sandbox/events", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ type: "webhook.test", data: {} }),
      });
      await sandbox.settled();
      const { items } = await (await sandbox.fetch("/_sandbox/deliveries")).json();
      expect(items[0].attempts[0].error).toMatch(/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/);
      await sandbox.close();
    });`,
};

/** Jest reads this ES module from disk during the test. */
const MODULE = `
  import { createSandbox } from "payments-sandbox";
  import { setupSandbox } from "payments-sandbox/testing";
  setupSandbox();
  test("closes before an answer", async () => {
    const sandbox = await createSandbox();
    void sandbox.fetch("/docs").catch(() => {});
    await sandbox.close();
  });`;

const project = new Project(
  {
    "package.json": JSON.stringify({ private: true }),
    "jest.config.js": `module.exports = { testMatch: ["**/*.test.{js,mjs}"], testTimeout: 120_000, transform: {} };`,
    ...SUITES,
    "module.test.mjs": MODULE,
  },
  [],
  { jest: join(await installSet("jest"), "jest"), "jest-29": join(await installSet("jest-29"), "jest") },
);
const cache = temporaryFolder();

describe.each([
  ["Jest 30", "jest"],
  ["Jest 29", "jest-29"],
])("%s", (_name, installed) => {
  it.each([
    ["a single file", 1, ["nothing.test.js"], {}],
    ["one file after the other", 13, ["--runInBand", "\\.js$"], {}],
    ["files in several workers", 13, ["--maxWorkers=2", "\\.js$"], {}],
    ["an ES module", 1, ["\\.mjs$"], { NODE_OPTIONS: "--experimental-vm-modules" }],
  ])("a suite leaves no handle or timer open: %s", async (_how, tests, args, environment) => {
    const jest = `node_modules/${installed}/bin/jest.js`;
    const options = ["--ci", "--colors=false", "--cacheDirectory", join(cache, installed)];
    const { code, stderr } = await project.run([jest, ...options, ...args], environment);
    // Jest prints "failed to exit" for a slow worker, too, so it is not checked.
    expect(stderr).not.toMatch(/torn down|soft deleted|open handle|internal error/);
    expect(stderr.replaceAll(/ +/g, " ")).toContain(`\nTests: ${tests} passed, ${tests} total\n`);
    expect(code).toBe(0);
  });
});
