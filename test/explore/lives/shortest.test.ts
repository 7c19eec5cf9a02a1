import { expect, it } from "vitest";
import { plainActs, SETTLED } from "../../../src/tools/explore/lives/acts.js";
import { drawLives } from "../../../src/tools/explore/lives/draw.js";
import { type LifeHost, live } from "../../../src/tools/explore/lives/life.js";
import { faultsOf } from "../../../src/tools/explore/lives/life-judge.js";
import { runLives } from "../../../src/tools/explore/lives/lives.js";
import { learnReferences } from "../../../src/tools/explore/lives/references.js";
import { openSandbox } from "../../support/api-client.js";
import { plainHost } from "./plain-host.js";
import { roomShop } from "./reports.js";
import { openShop } from "./shop.js";

it.each([
  "failed_is_final",
  "refund_ignored",
  "current_order_is_global",
  "second_attempt_paid_too",
  "email_is_the_order",
] as const)("the shortest life with the fault %s has no act that can be left out", async (bug) => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const host = plainHost(sandbox, await openShop(sandbox, bug));
  const references = await learnReferences(host, "shop");
  const draw = { host, references, overReason: () => undefined, onLife: () => {} };
  const { end, fault } = (await drawLives(draw, { seed: 5 }, 400, new Set()))!;
  const isFound = async (acts: typeof end.acts) => {
    const faults = faultsOf(await live(host, acts), references, host.hasAttempt);
    return faults.some(({ key }) => key === fault.key);
  };
  expect(await isFound(end.acts)).toBe(true);
  for (const at of end.acts.keys())
    expect([at, await isFound(end.acts.toSpliced(at, 1))]).toEqual([at, false]);
});

it.each([0, 1])(
  "customer %i is refused the room that an expired order of customer 0 holds",
  async (customer) => {
    const faults: string[][] = [];
    for (const isFixed of [false, true]) {
      const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
      const host = plainHost(sandbox, await roomShop(sandbox, isFixed));
      const references = await learnReferences(host, "room");
      const end = await live(host, [
        ...plainActs(0, 0, true, "pay").slice(0, -1),
        { do: "wait", by: SETTLED },
        ...plainActs(1, customer, true, "pay"),
      ]);
      faults.push(faultsOf(end, references, true).map(({ message }) => message));
    }
    // The same customer may go on with the first order.
    const isOther = customer === 1;
    expect(faults).toEqual([isOther ? ["order 2, after one that was never paid, cannot be paid"] : [], []]);
  },
);

it("an app may show nothing of a refund if its flow allows so", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const host = { ...plainHost(sandbox, await openShop(sandbox, "refund_ignored")), allowsRefund: true };
  const references = await learnReferences(host, "shop");
  let refunded = 0;
  const onLife = ({ orders }: Awaited<ReturnType<typeof live>>) => {
    for (const order of orders.values()) refunded += order.refunded;
  };
  const draw = { host, references, overReason: () => undefined, onLife };
  expect(await drawLives(draw, { seed: 5 }, 60, new Set())).toBeUndefined();
  expect(refunded).toBeGreaterThan(0);
});

it("after five findings no more lives are drawn, and a note says so", async () => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const plain = plainHost(sandbox, await openShop(sandbox));
  let hasLearned = false;
  let steps = 0;
  /** One of six fields that tell a paid order is wrong: the acts of the life decide on it. */
  const look: LifeHost["look"] = async (order) => {
    const [{ body } = { body: {} }] = await plain.look(order);
    const isPaid = Object(body).status === "paid";
    const fields = Array.from({ length: 6 }, (_, at) => isPaid !== (hasLearned && at === steps % 6));
    return [{ name: "order", status: 200, body: Object.fromEntries(fields.entries()) }];
  };
  const host: LifeHost = {
    ...plain,
    look,
    begin: () => {
      steps = 0;
      return plain.begin(2);
    },
    until: (work) => {
      steps++;
      return plain.until(work);
    },
  };
  const overReason = () => {
    hasLearned = true;
    return undefined;
  };
  const { findings, notes } = await runLives(host, "shop", { lives: 400, seed: 3 }, overReason);
  expect(findings).toHaveLength(5);
  expect(notes).toContain("lives: no more are drawn after 5 findings, and others may hide behind these");
});
