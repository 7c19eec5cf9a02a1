import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../docs/support/pages.js";
import { canMakeMachines } from "./support/machines.js";
import { COMPOSE, GITLAB, RECIPES } from "./support/recipes.js";
import { ContainerWorld } from "./support/world.js";

const PAYMENTS = "http://payments:4402";
const PUBLISHED = "http://localhost:4402";
const TOKEN = "a-token-of-yours";
const KEYS = {
  PAYMENTS_API_KEY: "sk_test_sandbox",
  PAYMENTS_WEBHOOK_SECRET: COMPOSE.app!.environment!.PAYMENTS_WEBHOOK_SECRET!,
};

let world: ContainerWorld | undefined;

afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function worldOf(...names: string[]): Promise<ContainerWorld> {
  world = await ContainerWorld.open(...names);
  return world;
}

const asToken = (token: string) => ({ "sandbox-control-token": token });

// Needs root or user namespaces, unshare and nsenter, iproute2 and a kernel with bridges.
describe.skipIf(!canMakeMachines())(
  "containers played by network namespaces (skipped where they may not be made)",
  () => {
    describe("compose", () => {
      const [kind, ...check] = COMPOSE.payments!.healthcheck.test;
      let shared: ContainerWorld;
      let verbs: ReturnType<typeof bound>;
      let early: number | null;

      beforeAll(async () => {
        shared = await ContainerWorld.open("payments", "app");
        verbs = bound(shared);
        early = (await verbs.run("payments", check)).code;
        await verbs.sandbox("payments", RECIPES.compose);
      });
      afterAll(() => shared?.close());

      it("its health check fails until the sandbox listens, and passes then", async () => {
        expect(kind).toBe("CMD");
        expect([early, (await verbs.run("payments", check)).code]).toEqual([1, 0]);
      });

      it("the sandbox answers to its service's name, and to no other", async () => {
        const address = `http://${shared.address("payments")}:4402`;
        const answers = await verbs.ask(
          "app",
          { url: `${PAYMENTS}/health` },
          { url: `${PAYMENTS}/health`, headers: { host: "shop.example:4402" } },
          { url: `${address}/health` },
          { url: `${address}/health`, headers: { host: "localhost:4402" } },
        );
        expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 200]);
        expect(answers[1]!.json.error.message).toContain("--allowed-host");
        // Whoever is told by the network alone that there is a port gets no further by it.
        const { code, stderr } = await verbs.run(
          "app",
          ["npx", "payments-sandbox", "status", "--url", address],
          tokenOf(TOKEN),
        );
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("FORBIDDEN") });
      });

      it("the control API is closed without the token and open with it", async () => {
        const answers = await verbs.ask(
          "app",
          { url: `${PAYMENTS}/_sandbox` },
          { url: `${PAYMENTS}/_sandbox`, headers: asToken("wrong") },
          { url: `${PAYMENTS}/_sandbox`, headers: asToken(TOKEN) },
          { url: `${PAYMENTS}/_sandbox/dashboard` },
          { url: `${PAYMENTS}/docs` },
        );
        expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 403, 200]);
        const environment = COMPOSE.app!.environment!;
        const ready = await verbs.run(
          "app",
          ["npx", "payments-sandbox", "wait", "ready", "--timeout", "60s"],
          environment,
        );
        expect(ready).toMatchObject({ code: 0, stdout: expect.stringContaining(PAYMENTS) });
        const status = await verbs.run("app", ["npx", "payments-sandbox", "status", "--json"], environment);
        expect(JSON.parse(status.stdout)).toMatchObject({ api_key: "sk_test_sandbox" });
      });

      it("on the host, by the published port: checkout links and the dashboard", async () => {
        await verbs.publish(4402, "payments");
        const [made] = await verbs.ask("app", ContainerWorld.checkout(PAYMENTS));
        const { checkout_url } = made!.json;
        expect(checkout_url).toMatch(/^http:\/\/localhost:4402\//);
        const [page, shut, signIn] = await verbs.ask(
          "host",
          { url: checkout_url },
          { url: `${PUBLISHED}/_sandbox/dashboard` },
          { url: `${PUBLISHED}/_sandbox/dashboard?token=${TOKEN}` },
        );
        expect([page!.status, shut!.status, signIn!.status]).toEqual([200, 403, 303]);
        const cookie = String(signIn!.headers["set-cookie"]).split(";")[0]!;
        const [dashboard] = await verbs.ask("host", {
          url: `${PUBLISHED}/_sandbox/dashboard`,
          headers: { cookie },
        });
        expect(dashboard!.status).toBe(200);
      });

      it("an order at the app is paid by a webhook from the sandbox's container", async () => {
        await verbs.app("app", COMPOSE.app!.environment!);
        expect(await verbs.orderAndWait("app", "http://app:3000", PAYMENTS, TOKEN)).toMatchObject({
          status: "paid",
        });
      });
    });

    it.each([
      { recipe: RECIPES.docker, token: TOKEN },
      { recipe: RECIPES.githubService, token: "ci" },
    ])(
      "$recipe.name: an app on the host calls the published port and hears its webhooks",
      async ({ recipe, token }) => {
        const { sandbox, app, publish, orderAndWait, run } = bound(await worldOf("payments"));
        await sandbox("payments", recipe);
        await publish(4402, "payments");
        await app("host", { ...KEYS, PAYMENTS_BASE_URL: PUBLISHED });
        expect(await orderAndWait("host", "http://localhost:3000", PUBLISHED, token)).toMatchObject({
          status: "paid",
        });
        // As the workflow's steps do, where nothing is said but the token.
        const env = await run(
          "host",
          ["npx", "payments-sandbox", "env", "--format", "dotenv"],
          tokenOf(token),
        );
        expect(env).toMatchObject({
          code: 0,
          stdout: expect.stringContaining("PAYMENTS_BASE_URL=http://127.0.0.1:4402"),
        });
      },
    );

    it("on the host: an app in a container calls host.docker.internal, and hears webhooks at its published port", async () => {
      const { sandbox, app, publish, orderAndWait, ask } = bound(await worldOf("app"));
      const banner = await sandbox("host", RECIPES.onTheHost);
      const token = /Control token +(\S+)/.exec(banner)![1]!;
      await publish(3000, "app");
      const host = "http://host.docker.internal:4402";
      await app("app", { ...KEYS, PAYMENTS_BASE_URL: host });
      const [shut] = await ask("app", { url: `${host}/_sandbox` });
      expect(shut!.status).toBe(403);
      expect(await orderAndWait("app", "http://app:3000", host, token)).toMatchObject({ status: "paid" });
    });

    it("GitLab service: a job that nobody can call fetches its webhooks", async () => {
      const { sandbox, app, background, ask } = bound(await worldOf("payments", "job"));
      await sandbox("payments", RECIPES.gitlabService);
      await app("job", { ...KEYS, PAYMENTS_BASE_URL: PAYMENTS });
      const line = (GITLAB.script as string[]).find((one) => one.includes("webhook pull"))!;
      const pull = line.split(" > ")[0]!.split(" ");
      const pulling = background("job", pull, GITLAB.variables);
      await untilThereIsAMailbox(ask);
      const [ordered] = await ask(
        "job",
        {
          url: "http://localhost:3000/orders",
          method: "POST",
          body: { email: "ada@example.com", phone: "+254700000001" },
        },
        {
          url: `${PAYMENTS}/_sandbox/clock/advance`,
          method: "POST",
          headers: asToken("ci"),
          body: { by: "10s" },
        },
      );
      await pulling.said(/charge\.completed dlv_\w+ 200/);
      const [order] = await ask("job", { url: `http://localhost:3000/orders/${ordered!.json.order_id}` });
      expect(order!.json.status).toBe("paid");
    });

    it("webhook pull: as the page says it for an app on the host", async () => {
      const line = blocksOf("docs/containers.md").find(({ code }) =>
        /^npx payments-sandbox webhook pull/.test(code),
      )!.code;
      const { sandbox, app, publish, run, ask } = bound(await worldOf("payments"));
      await sandbox("payments", { ...RECIPES.docker, argv: RECIPES.docker.argv.slice(0, -2) });
      await publish(4402, "payments");
      await app("host", { ...KEYS, PAYMENTS_BASE_URL: PUBLISHED });
      const once = [...line.trim().split(" "), "--once"];
      expect((await run("host", once)).code).toBe(0);
      await ask(
        "host",
        {
          url: "http://localhost:3000/orders",
          method: "POST",
          body: { email: "ada@example.com", phone: "+254700000001" },
        },
        {
          url: `${PUBLISHED}/_sandbox/clock/advance`,
          method: "POST",
          headers: asToken(TOKEN),
          body: { by: "10s" },
        },
      );
      expect((await run("host", once)).stdout).toMatch(/charge\.completed dlv_\w+ 200\n$/);
      const [order] = await ask("host", { url: "http://localhost:3000/orders/1" });
      expect(order!.json.status).toBe("paid");
    });
  },
);

function tokenOf(token: string): Record<string, string> {
  return { PAYMENTS_SANDBOX_CONTROL_TOKEN: token };
}

async function untilThereIsAMailbox(ask: ContainerWorld["ask"]): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const [endpoints] = await ask("job", {
      url: `${PAYMENTS}/_sandbox/webhook-endpoints`,
      headers: asToken("ci"),
    });
    if (endpoints!.json.total === 1) return;
  }
  throw new Error("no mailbox");
}

/** A world's verbs, to be said without it. */
function bound(one: ContainerWorld) {
  return {
    sandbox: one.sandbox.bind(one),
    app: one.app.bind(one),
    publish: one.publish.bind(one),
    background: one.background.bind(one),
    run: one.run.bind(one),
    ask: one.ask.bind(one),
    orderAndWait: one.orderAndWait.bind(one),
  };
}
