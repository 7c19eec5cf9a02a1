// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { setupSandbox } from "../../src/testing/index.js";
import { openSandbox } from "../support/api-client.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";
import { PRESSES, pressedApp } from "./support.js";

async function inTest(server: string | false, test: (sandbox: ReturnType<typeof setupSandbox>) => unknown) {
  const hooks: Record<string, () => Promise<void>> = {};
  const hook = (name: string) => (run: () => Promise<void>) => {
    hooks[name] = run;
  };
  const [beforeAll, beforeEach, afterAll] = ["beforeAll", "beforeEach", "afterAll"].map(hook);
  const sandbox = setupSandbox({
    server,
    listen: false,
    hooks: { beforeAll: beforeAll!, beforeEach: beforeEach!, afterAll: afterAll! },
  });
  await hooks.beforeAll!();
  await hooks.beforeEach!();
  await test(sandbox);
  await hooks.afterAll!();
}

it.each(["a sandbox of its own", "a namespace of a server"])(
  "a test can call explore() in %s",
  async (where) => {
    const leases: Promise<number>[] = [];
    let takeLease = () => Promise.resolve(0);
    const pressed = pressedApp(() => void leases.push(takeLease()));
    const app = `http://127.0.0.1:${await listening(createServer(pressed))}`;
    const server = where.includes("server") && (await (await openSandbox()).listen()).url;
    await inTest(server, async (sandbox) => {
      const asked = { method: "POST", headers: { "sandbox-run": "another" }, body: "{}" };
      takeLease = () => sandbox.fetch("/_sandbox/lease", asked).then(({ status }) => status);
      const { findings, runs } = await sandbox.explore(fileWith(PRESSES), {
        app,
        budget: "1h",
        throws: false,
      });
      // explore() locks the test's namespace.
      expect(new Set(await Promise.all(leases))).toEqual(new Set([409]));
      expect({ findings, runs }).toMatchObject({
        findings: ["pressed_twice", "pressed_again"].map((kind) => ({
          oracle: "money",
          message: "done more than once: body.delivered is 2, not 1",
          deviations: [{ kind, at: "POST /orders/${run.id}#1" }],
        })),
        runs: 2,
      });
      await expect(sandbox.explore(fileWith(PRESSES), { app, depth: 9 as 2 })).rejects.toThrow(
        "explore: depth must be 1, 2 or max",
      );
    });
  },
);

it("a flow that is an object is refused in a namespace of a server", async () => {
  const { url } = await (await openSandbox()).listen();
  await inTest(url, async (sandbox) => {
    await expect(sandbox.explore({ see: { order: () => 1 }, flow: () => {} })).rejects.toThrow(
      "explore: a flow that is an object needs a sandbox in this process: unset PAYMENTS_SANDBOX_URL, or pass { server: false } to setupSandbox",
    );
  });
});

it("a test of setupSandbox can explore a flow that is an object", async () => {
  await inTest(false, async (sandbox) => {
    const nothing = sandbox.explore({ see: { order: () => 1 }, flow: () => {} });
    await expect(nothing).rejects.toThrow("flow: no deviation applies");
  });
});
