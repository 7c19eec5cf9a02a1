import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../docs/support/pages.js";
import { canMakeMachines } from "./support/machines.js";
import { COMPOSE, RECIPES } from "./support/recipes.js";
import { ContainerWorld } from "./support/world.js";

const PAYMENTS = "http://payments:4402";
const PUBLISHED = "http://localhost:4402";
const TOKEN = "a-token-of-yours";
const KEYS = {
  PAYMENTS_API_KEY: "sk_test_sandbox",
  PAYMENTS_WEBHOOK_SECRET: COMPOSE.app!.environment!.PAYMENTS_WEBHOOK_SECRET!,
};

const asToken = (token: string) => ({ "sandbox-control-token": token });

// Needs root or user namespaces, and a kernel with bridges.
describe.skipIf(!canMakeMachines())(
  "containers simulated by network namespaces (skipped without permission)",
  () => {
    describe("compose", () => {
      const [kind, ...check] = COMPOSE.payments!.healthcheck.test;
      let shared: ContainerWorld;
      let early: number | null;

      beforeAll(async () => {
        shared = await ContainerWorld.open("payments", "app");
        early = (await shared.run("payments", check)).code;
        await shared.sandbox("payments", RECIPES.compose);
      });

      it("the health check of compose.yaml passes once the sandbox listens", async () => {
        expect(kind).toBe("CMD");
        expect([early, (await shared.run("payments", check)).code]).toEqual([1, 0]);
      });

      it("the sandbox in compose responds only to its service's name", async () => {
        const address = `http://${shared.address("payments")}:4402`;
        const answers = await shared.ask(
          "app",
          { url: `${PAYMENTS}/health` },
          { url: `${PAYMENTS}/health`, headers: { host: "shop.example:4402" } },
          { url: `${address}/health` },
          { url: `${address}/health`, headers: { host: "localhost:4402" } },
        );
        expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 200]);
        expect(answers[1]!.json.error.message).toContain("--allowed-host");
        // Clients that only know the port are refused.
        const { code, stderr } = await shared.run(
          "app",
          ["npx", "payments-sandbox", "status", "--url", address],
          tokenOf(TOKEN),
        );
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("FORBIDDEN") });
      });

      it("the control API in compose refuses calls without the token", async () => {
        const answers = await shared.ask(
          "app",
          { url: `${PAYMENTS}/_sandbox` },
          { url: `${PAYMENTS}/_sandbox`, headers: asToken("wrong") },
          { url: `${PAYMENTS}/_sandbox`, headers: asToken(TOKEN) },
          { url: `${PAYMENTS}/_sandbox/dashboard` },
          { url: `${PAYMENTS}/docs` },
        );
        expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 403, 200]);
        const environment = COMPOSE.app!.environment!;
        const ready = await shared.run(
          "app",
          ["npx", "payments-sandbox", "wait", "ready", "--timeout", "60s"],
          environment,
        );
        expect(ready).toMatchObject({ code: 0, stdout: expect.stringContaining(PAYMENTS) });
        const status = await shared.run("app", ["npx", "payments-sandbox", "status", "--json"], environment);
        expect(JSON.parse(status.stdout)).toMatchObject({ api_key: "sk_test_sandbox" });
      });

      it("the published port serves checkout links and the dashboard", async () => {
        await shared.publish(4402, "payments");
        const [made] = await shared.ask("app", ContainerWorld.checkout(PAYMENTS));
        const { checkout_url } = made!.json;
        expect(checkout_url).toMatch(/^http:\/\/localhost:4402\//);
        const [page, shut, signIn] = await shared.ask(
          "host",
          { url: checkout_url },
          { url: `${PUBLISHED}/_sandbox/dashboard` },
          { url: `${PUBLISHED}/_sandbox/dashboard?token=${TOKEN}` },
        );
        expect([page!.status, shut!.status, signIn!.status]).toEqual([200, 403, 303]);
        const cookie = String(signIn!.headers["set-cookie"]).split(";")[0]!;
        const [dashboard] = await shared.ask("host", {
          url: `${PUBLISHED}/_sandbox/dashboard`,
          headers: { cookie },
        });
        expect(dashboard!.status).toBe(200);
      });

      it("a webhook from the sandbox's container completes an order of the app", async () => {
        await shared.app("app", COMPOSE.app!.environment!);
        expect(await shared.orderAndWait("app", "http://app:3000", PAYMENTS, TOKEN)).toBe("paid");
      });
    });

    it("an app on the host calls the container and receives webhooks", async () => {
      const world = await ContainerWorld.open("payments");
      await world.sandbox("payments", RECIPES.docker);
      await world.publish(4402, "payments");
      await world.app("host", { ...KEYS, PAYMENTS_BASE_URL: PUBLISHED });
      expect(await world.orderAndWait("host", "http://localhost:3000", PUBLISHED, TOKEN)).toBe("paid");
      const env = await world.run(
        "host",
        ["npx", "payments-sandbox", "env", "--format", "dotenv"],
        tokenOf(TOKEN),
      );
      expect(env).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("PAYMENTS_BASE_URL=http://127.0.0.1:4402"),
      });
    });

    it("an app in a container calls host.docker.internal and receives webhooks", async () => {
      const world = await ContainerWorld.open("app");
      const banner = await world.sandbox("host", RECIPES.onTheHost);
      const token = /Control token +(\S+)/.exec(banner)![1]!;
      await world.publish(3000, "app");
      const host = "http://host.docker.internal:4402";
      await world.app("app", { ...KEYS, PAYMENTS_BASE_URL: host });
      const [shut] = await world.ask("app", { url: `${host}/_sandbox` });
      expect(shut!.status).toBe(403);
      expect(await world.orderAndWait("app", "http://app:3000", host, token)).toBe("paid");
    });

    it("`webhook pull` forwards events to an app on the host", async () => {
      const line = blocksOf("docs/shared-sandbox.md").find(({ code }) =>
        /^npx payments-sandbox webhook pull/.test(code),
      )!.code;
      const world = await ContainerWorld.open("payments");
      await world.sandbox("payments", { ...RECIPES.docker, argv: RECIPES.docker.argv.slice(0, -2) });
      await world.publish(4402, "payments");
      await world.app("host", { ...KEYS, PAYMENTS_BASE_URL: PUBLISHED });
      const once = [...line.trim().split(" "), "--once"];
      expect((await world.run("host", once)).code).toBe(0);
      const order = await world.order("host", "http://localhost:3000", PUBLISHED, TOKEN);
      expect((await world.run("host", once)).stdout).toMatch(/charge\.completed dlv_\w+ 200\n$/);
      expect(await world.statusOf("host", order)).toBe("paid");
    });
  },
);

function tokenOf(token: string): Record<string, string> {
  return { PAYMENTS_SANDBOX_CONTROL_TOKEN: token };
}
