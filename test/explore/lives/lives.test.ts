import { expect, it, vi } from "vitest";
import { systemWallClock } from "../../../src/core/time/wall-clock.js";
import type { ExploreFlow, ExploreOptions, ExploreReport } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { serviceOf } from "../functions/shop.js";
import { type Bug, openShop } from "./shop.js";

async function exploreShop(bug: Bug | undefined, options: ExploreOptions) {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  return sandbox.explore(await openShop(sandbox, bug), { throws: false, ...options });
}

const livesOf = ({ findings }: ExploreReport) => findings.filter(({ acts }) => acts !== undefined);

it("a finding of a life is a story, and only repeats it", async () => {
  const report = await exploreShop("refund_ignored", { lives: 60, seed: 42 });
  const [finding] = livesOf(report);
  expect(finding).toMatchObject({
    oracle: "money",
    message: "order 1 is refunded, but looks like one that is paid",
    deviations: [],
    seen: { runs: 2, of: 2 },
    acts: [
      "Ada places order 1",
      "Ada goes to pay order 1",
      "Ada pays order 1",
      "the payment of order 1 is refunded",
    ],
  });
  const again = await exploreShop("refund_ignored", { only: finding!.only! });
  expect(again.findings).toEqual([finding]);
  expect(again.sentence).toBe(`shop: only ${finding!.only}: 1 finding`);
  const fixed = await exploreShop(undefined, { only: finding!.only! });
  expect(fixed).toMatchObject({ passed: true, findings: [] });
});

it("the message of an error tells the story, and the option that repeats it", async () => {
  const failing = exploreShop("refund_ignored", { lives: 60, seed: 42, throws: true });
  await expect(failing).rejects.toThrow(
    /✗ money: order 1 is refunded(.*\n)+ {4}Ada places order 1\n(.*\n)+ {4}to run it again: only: "life 42:\d+(:\d+)*"/,
  );
});

it("the same seed gives the same lives, another seed others", async () => {
  const [one, same, other] = await [7, 7, 8].reduce<Promise<ExploreReport[]>>(async (before, seed) => {
    const reports = await before;
    return [...reports, await exploreShop("current_order_is_global", { lives: 20, seed })];
  }, Promise.resolve([]));
  expect(JSON.stringify({ ...same, ms: 0 })).toBe(JSON.stringify({ ...one, ms: 0 }));
  expect({ ...other!.lives, seed: 7 }).not.toEqual(one!.lives);
});

it("the report says how many lives there were, and how far they went", async () => {
  const { lives, sentence, passed } = await exploreShop(undefined, { lives: 20, seed: 1 });
  expect(passed).toBe(true);
  expect(lives).toMatchObject({ seed: 1, of: 20, lives: 20 });
  expect(lives!.orders).toBeGreaterThan(20);
  expect(lives!.paid).toBeGreaterThan(lives!.refunded);
  expect(sentence).toContain(`20 lives (up to ${lives!.longest} acts; ${lives!.paid} payments)`);
});

it("without lives in time, an exploration does not pass", async () => {
  const stop = new AbortController();
  const { passed, lives } = await exploreShop(undefined, {
    lives: 20,
    signal: stop.signal,
    onRun: (runs) => void (runs === 3 && stop.abort()),
  });
  expect(passed).toBe(false);
  expect(lives).toBeUndefined();
});

it("an app may show a refunded order as paid if its flow allows so", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = { ...(await openShop(sandbox, "refund_ignored")), allow: { refunded: { status: "paid" } } };
  const { findings, lives } = await sandbox.explore(flow, { lives: 60, seed: 42 });
  expect(findings).toEqual([]);
  expect(lives!.refunded).toBeGreaterThan(0);
});

it.each([
  ["the rest of the budget", 1, 400],
  ["half of the rest, if pairs follow,", 2, 800],
] as const)("lives may take %s at depth %s", async (_share, depth, seconds) => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const clock = vi.spyOn(systemWallClock, "nowMs");
  const beganMs = Date.now();
  let nowMs = beganMs;
  clock.mockImplementation(() => nowMs);
  const setup = () => {
    nowMs += 1_000;
  };
  const endsMs: number[] = [];
  const onRun = () => void endsMs.push(nowMs);
  const flow = { ...(await openShop(sandbox)), setup };
  const options = { depth, budget: `${seconds}s`, lives: 100_000, throws: false, onRun } as const;
  const { lives } = await sandbox.explore(flow, options);
  clock.mockRestore();
  // Between two other runs, lives take by far the most time.
  const gapsMs = [...endsMs, nowMs].slice(1).map((atMs, index) => atMs - endsMs[index]!);
  const tookMs = Math.max(...gapsMs);
  const beforeMs = endsMs[gapsMs.indexOf(tookMs)]!;
  const shareMs = (beganMs + seconds * 1_000 - beforeMs) / depth;
  expect(Math.abs(tookMs - shareMs)).toBeLessThan(10_000);
  expect(lives!.lives).toBeGreaterThan(100);
});

it("lives in which nothing can be paid are refused", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openShop(sandbox);
  const flow = { ...shop, flow: shop.lives!.order as never, lives: { order: () => {} } };
  await expect(sandbox.explore(flow, { lives: 5 })).rejects.toThrow("no charge that could be paid");
});

it("an order may return its whitelabel checkout, which has no page to pay on", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const call = serviceOf(sandbox);
  const orders = new Map<string, string>();
  await sandbox.onWebhook(async (request) => {
    const { data } = await request.json();
    orders.set(data.metadata.id, data.status === "COMPLETED" ? "paid" : "open");
  });
  const pricing = { base_currency: "KES", amount: "19.99" };
  const placeOrder = async (id: string, customer_email: string) => {
    const { quote_id } = await call("POST", "quotes", { pricing, payment_method: "card" });
    const order = { pricing, payment_method: "card", quote_id, customer_email, metadata: { id } };
    return call("POST", "whitelabel", order);
  };
  const flow: ExploreFlow = {
    see: { order: ({ id }) => orders.get(id) },
    lives: { order: ({ id, email, press }) => press("order", () => placeOrder(id, email)) },
  };
  const { complete_depth, lives } = await sandbox.explore(flow, { lives: 5, throws: false });
  expect([complete_depth, lives?.lives]).toEqual([1, 5]);
});

it("an order that presses nothing is a press by itself", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const { lives, ...flow } = await openShop(sandbox);
  const press = (_label: string, act: () => unknown) => act() as never;
  const plain = {
    order: (context: object) => lives!.order({ ...context, press } as never),
    attempt: (context: object) => lives!.attempt!({ ...context, press } as never),
  };
  const { findings, singles } = await sandbox.explore({ ...flow, lives: plain }, { lives: 5 });
  expect(findings).toEqual([]);
  expect(singles).toContainEqual({ kind: "pressed_twice", at: "attempt#1", outcome: "right" });
});

it("tickets by random codes accuse no right shop, and hide no refund that is ignored", async () => {
  const messagesOf = async (bug?: Bug) => {
    const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
    const shop = await openShop(sandbox, bug);
    const codes = new Map<string, string>();
    const tickets: ExploreFlow["see"][string] = ({ id, email }) => {
      const { status } = Object(shop.see.order!({ id, email }));
      if (!codes.has(id)) codes.set(id, `code ${codes.size}`);
      return status === "paid" ? { [codes.get(id)!]: "A1" } : {};
    };
    const flow = { ...shop, see: { ...shop.see, tickets } };
    const { findings } = await sandbox.explore(flow, { lives: 80, seed: 42, throws: false });
    return findings.map(({ message }) => message);
  };
  expect(await messagesOf()).toEqual([]);
  expect(await messagesOf("refund_ignored")).toContain(
    "order 1 is refunded, but looks like one that is paid",
  );
});
