import { expect, it } from "vitest";
import { foundIn, openApp, shopOf } from "./apps.js";
import { FLOW } from "./support.js";

const PAID_OTHERWISE = ["underpaid", "overpaid", "paid_in_other_currency"];

it.concurrent("failOn turns wrong amounts, forgeries and lost webhooks into findings", async () => {
  const app = await openApp(shopOf());
  const end = new AbortController();
  const plain = await foundIn(app, FLOW, { signal: end.signal, onRun: () => end.abort() });
  const reason = "the service reports no amount paid: name the kind with --fail-on to try it";
  for (const kind of PAID_OTHERWISE)
    expect(plain.report.not_tried).toContainEqual({ kind, at: "charge#1", reason });
  expect(plain.report.looked_at).toContain("delivered");
  const raised = await foundIn(app, FLOW, {
    failOn: [...PAID_OTHERWISE, "webhook_forged", "webhook_dropped"],
  });
  // The shop verifies no signature.
  const kinds = [...PAID_OTHERWISE, "webhook_forged"];
  expect(raised.found).toEqual(kinds.map((kind) => `money: ${kind} charge#1`));
  expect(raised.report.not_tried.filter(({ at }) => at !== "*")).toEqual([]);
  const messages = new Set(raised.report.findings.map(({ message }) => message));
  expect([...messages]).toEqual([
    "delivered as if the right amount had been paid",
    'done more than once: body.status is "paid", not "expired", body.delivered is 1, not 0',
  ]);
});

it.concurrent("failOn finds a lost webhook only when the shop does not poll", async () => {
  const checks = ({ amount_paid, currency_paid }: { amount_paid?: string; currency_paid?: string }) =>
    amount_paid === undefined && currency_paid === undefined;
  const right = await foundIn(await openApp(shopOf(checks)), FLOW, { failOn: PAID_OTHERWISE });
  expect(right.found).toEqual([]);
  const deaf = FLOW.replace("POST /tick", "POST /nothing");
  const app = await openApp(shopOf());
  const only = "webhook_dropped at charge.completed#1";
  const raised = await foundIn(app, deaf, { failOn: ["webhook_dropped"], only });
  expect(raised.found).toEqual(["money: webhook_dropped charge.completed#1"]);
  await expect(foundIn(app, FLOW, { failOn: ["webhook_droped"] })).rejects.toThrow(
    "is neither a kind of deviation nor manners; did you mean webhook_dropped?",
  );
});
