import { expect, it } from "vitest";
import { exploreWithDefaults } from "../../src/tools/explore/file.js";
import type { KillableApp } from "../../src/tools/explore/sandbox/killable-app.js";
import { generateRunId } from "../../src/tools/scenario/running/run-report.js";
import { fileWith } from "../support/scenario-run.js";
import { type Answer, type CallService, type Json, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

/** A shop that takes webhooks into a queue. A job that it works on when it is killed stays leased for a while. */
class QueueingShop implements KillableApp {
  readonly leased: Json[] = [];
  #killedAt: string | undefined;
  waits = 0;
  constructor(readonly keepsLeased: boolean) {}

  readonly appOf = (call: CallService): Answer => {
    const shop = shopOf()(call);
    this.#work = (body) => shop("POST /webhooks", body);
    return async (route, body) => {
      if (route !== "POST /webhooks") return shop(route, body);
      const before = this.leased.filter(({ data }) => data.charge_id === body.data.charge_id);
      if (body.type === this.#killedAt || before.length > 0) this.leased.push(body);
      else await this.#work(body);
      return [202];
    };
  };
  #work: (body: Json) => Promise<unknown> = async () => {};

  async restart(): Promise<void> {}
  async untilUp(): Promise<void> {}
  restartAt({ type }: { readonly type: string }): () => void {
    this.#killedAt = type;
    return () => {
      this.#killedAt = undefined;
    };
  }

  async untilLeasesEnd(): Promise<void> {
    this.waits++;
    if (!this.keepsLeased) for (const body of this.leased.splice(0)) await this.#work(body);
  }
}

const WITHOUT_JOB = FLOW.slice(0, FLOW.indexOf("tick:"));

async function exploreKilled(shop: QueueingShop) {
  const { sandbox, app } = await openApp(shop.appOf);
  const only = "app_killed at charge.completed#1";
  return exploreWithDefaults(
    fileWith(WITHOUT_JOB),
    { app, only, process: shop },
    { fetch: (path, init) => sandbox.fetch(path, init), runIdOf: () => generateRunId() },
  );
}

it.concurrent("explore waits for the lease of a killed app before it judges the app", async () => {
  const shop = new QueueingShop(false);
  const { findings, singles } = await exploreKilled(shop);
  expect({ findings, waits: shop.waits, singles }).toMatchObject({
    findings: [],
    waits: 1,
    singles: [{ kind: "app_killed", outcome: "right" }],
  });
});

it.concurrent("explore accuses a killed app that leaves its job undone when no lease lasts any longer", async () => {
  const shop = new QueueingShop(true);
  const { findings } = await exploreKilled(shop);
  expect({ findings, waits: shop.waits }).toMatchObject({ findings: [{ oracle: "money" }], waits: 1 });
});
