import { expect, it } from "vitest";
import { type DeviationKind, scenarioName } from "../../src/tools/explore/deviation-set.js";
import { DEVIATION_KIND_DEFINITIONS, deviationsAt } from "../../src/tools/explore/kinds.js";
import { KnownDeviations } from "../../src/tools/explore/known-deviations.js";
import { type Place, placesOf } from "../../src/tools/explore/places.js";
import { RunPlan } from "../../src/tools/explore/run-plan.js";
import type { ObservedDelivery, ObservedRun } from "../../src/tools/explore/run-record.js";

const SECOND = 1_000;
const variant = (isPatient: boolean) => ({ side: "first" as const, isPatient });
const charge = (id: string) => ({ id, metadata: {}, history: [], isAutomatic: true });
const told = (charge_id: string, type: string, ...seconds: readonly number[]): ObservedDelivery => ({
  object_id: charge_id,
  event_id: `evt_${charge_id}_${type}`,
  type,
  attempts: seconds.map((second) => ({ status: 200, atMs: second * SECOND, durationMs: 1, isLost: false })),
  atMs: (seconds[0] ?? 0) * SECOND,
});

function planned(kind: DeviationKind, place: Place): RunPlan {
  const plan = new RunPlan([], { customerMatch: {}, variant: variant(false), pace: 1 });
  DEVIATION_KIND_DEFINITIONS[kind].effectAt(place)?.applyTo(plan);
  return plan;
}

/** Returns the deviations of webhooks with their descriptions. */
function rulesOf(...deliveries: readonly ObservedDelivery[]) {
  const seen = {
    calls: [],
    deliveries,
    charges: [charge("ch_1"), charge("ch_2")],
    withdrawals: [],
  } as unknown as ObservedRun;
  const places = placesOf(seen, { presses: [], pages: 0 });
  const all = places.flatMap((place) =>
    deviationsAt(place).map(({ kind, at }) => [`${kind} ${at}`, planned(kind, place).webhooks[0]]),
  );
  return { places: places.map(({ at }) => at), rules: Object.fromEntries(all) };
}

it("repeated events of a type are changed separately", () => {
  const { places, rules } = rulesOf(
    told("ch_1", "charge.processing", 1),
    told("ch_1", "charge.completed", 2),
    told("ch_1", "charge.completed", 2),
    told("ch_2", "charge.completed", 3),
  );
  expect(places).toEqual(["charge.processing#1", "charge.completed#1", "charge.completed#2"]);
  const match = { type: "charge.completed" };
  expect(rules["webhook_twice charge.completed#1"]).toEqual({ match, copies: 2, times: 1 });
  expect(rules["webhook_twice charge.completed#2"]).toEqual({ match, copies: 2, skip: 1, times: 1 });
  expect(rules).toHaveProperty("webhook_after_next charge.processing#1");
  expect(rules).not.toHaveProperty("webhook_after_next charge.completed#1");
});

it("a retried webhook can be late, reordered or duplicated", () => {
  const { rules } = rulesOf(
    told("ch_1", "charge.processing", 1, 6),
    told("ch_1", "charge.completed", 9, 14, 44),
  );
  const match = { type: "charge.processing" };
  const ofAttempts = Object.entries(rules).filter(([place]) => place.includes("charge.processing#1 attempt"));
  expect(Object.fromEntries(ofAttempts)).toEqual({
    "webhook_late charge.processing#1 attempt 2": { match, attempt: 2, delay: "10m", times: 1 },
    "webhook_after_next charge.processing#1 attempt 2": { match, attempt: 2, delay: "4s", times: 1 },
    "webhook_twice charge.processing#1 attempt 2": { match, attempt: 2, copies: 2, times: 1 },
    "webhook_response_lost charge.processing#1 attempt 2": {
      match,
      attempt: 2,
      response_lost: true,
      times: 1,
    },
  });
  expect(rules["webhook_twice charge.completed#1 attempt 3"]).toMatchObject({ attempt: 3 });
  expect(rules).not.toHaveProperty("webhook_after_next charge.completed#1 attempt 2");
});

it("saved files have distinct names of limited length", () => {
  const lost = (at: string) => ({ kind: "webhook_response_lost" as const, at });
  const both = [lost("charge.processing#1"), lost("charge.completed#1")];
  const names = ["createQuote#1", "createQuote#2"].map((at) => scenarioName("order", [...both, lost(at)]));
  expect(names[0]).toMatch(/^order\.webhook_response_lost\.charge\.processing-1\..*\.[0-9a-f]{8}$/);
  expect(names[0]).not.toBe(names[1]);
  for (const name of names) expect(name).toHaveLength(100);
  expect(scenarioName("order", [lost("charge.completed#1 attempt 2")])).toBe(
    "order.webhook_response_lost.charge.completed-1-attempt-2",
  );
});

it("a stale read returns the state before the last change, within a minute of it", () => {
  const read = (atMs: number) => ({
    operation: "getCharge",
    method: "GET",
    readId: "ch_1",
    atMs,
    isOwn: true,
  });
  const history = [
    { status: "PENDING", atMs: 0 },
    { status: "COMPLETED", atMs: 5 * SECOND },
  ];
  const seen = {
    calls: [read(SECOND), read(9 * SECOND), read(66 * SECOND)],
    deliveries: [],
    charges: [{ ...charge("ch_1"), history }],
    withdrawals: [],
  };
  const places = placesOf(seen as unknown as ObservedRun, { presses: [], pages: 0 });
  const stale = places.map((place) => planned("read_stale", place).faults[0]);
  const rule = expect.objectContaining({ stale: "last_change", skip: 1 });
  expect(stale).toEqual([undefined, rule, undefined]);
});

it.each([
  [{ variant: variant(false), pace: 1 }, "2s", "150ms"],
  [{ variant: variant(false), pace: 5 }, "5s", "750ms"],
  [{ variant: variant(true), pace: 1 }, "5s", "150ms"],
  [{ variant: variant(false), pace: 1, isWaiting: true }, "5s", "150ms"],
])("a response is delayed longer for an app that needs it: %j", (setting, answer, read) => {
  const place = { operation: "getCharge", earlierCount: 0, isOwn: false } as const;
  const plan = new RunPlan([], { customerMatch: {}, ...setting });
  plan.deviateCall(place, { hold: "final", at_most: "5s" });
  plan.deviateCall(place, { hold: "webhook", at_most: "150ms", delay_answer: "30ms" });
  expect(plan.faults.map(({ at_most }) => at_most)).toEqual([answer, read]);
});

it("a scheduled job can run at each change without a webhook", () => {
  const changes = (...statuses: readonly string[]) =>
    ["PENDING", ...statuses].map((status, index) => ({ status, atMs: index * SECOND }));
  const seen = {
    startMs: 0,
    calls: [],
    deliveries: [told("ch_1", "charge.completed", 2)],
    charges: [{ ...charge("ch_1"), history: changes("PROCESSING", "COMPLETED") }],
    withdrawals: [{ ...charge("wd_1"), history: changes("COMPLETED") }],
  };
  const customer = { presses: [], pages: 0, hasJob: true };
  const places = placesOf(seen as unknown as ObservedRun, customer);
  const jobs = places.flatMap((place) => deviationsAt(place).filter(({ kind }) => kind.startsWith("job_")));
  expect(jobs).toEqual([
    { kind: "job_at_once", at: "charge.completed#1" },
    { kind: "job_twice", at: "charge.completed#1" },
    { kind: "job_meanwhile", at: "charge.processing#1" },
    { kind: "job_at_once", at: "withdrawal.completed#1" },
    { kind: "job_twice", at: "withdrawal.completed#1" },
  ]);
});

it.each([
  ["the second of two pages, whose first is declined", ["FAILED", "COMPLETED"], 2, ["page#2"]],
  ["the only page, after one that was left open", ["EXPIRED", "COMPLETED"], 1, ["charge#2", "page#1"]],
  ["a page whose payment is declined", ["FAILED"], 1, ["page#1"]],
  ["no page, once the paid one of two is cancelled", ["FAILED", "CANCELLED"], 2, []],
  ["a page that no step of the flow pays", ["COMPLETED"], 0, ["charge#1"]],
] as const)("the customer can deviate at %s", (_, statuses, pages, places) => {
  const charges = statuses.map((status, index) => ({
    ...charge(`ch_${index}`),
    status,
    isHosted: true,
    isAutomatic: false,
  }));
  const seen = { startMs: 0, calls: [], deliveries: [], charges, withdrawals: [] };
  const found = placesOf(seen as unknown as ObservedRun, { presses: [], pages });
  expect(found.map(({ at }) => at)).toEqual(places);
});

it("does not combine other customers' payments with a failed payment", () => {
  const paid = { ...charge("ch_1"), status: "COMPLETED", timeline: [], expiresMs: SECOND };
  const list = { operation: "listPayins", method: "GET", page: "first", atMs: 0 };
  const seen = { startMs: 0, calls: [list], deliveries: [], charges: [paid], withdrawals: [] };
  const known = new KnownDeviations({ customer: { presses: [], pages: 0 } as never });
  const found = known.findIn(seen as unknown as ObservedRun);
  const [strangers, declined, failed] = (["paid_between_pages", "declined", "response_5xx"] as const).map(
    (kind) => found.find((one) => one.kind === kind)!,
  );
  expect(known.separationOf(strangers!, declined!)).toBe("impossible");
  expect(known.separationOf(declined!, failed!)).toBeUndefined();
});
