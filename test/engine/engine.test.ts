import { expect, it } from "vitest";
import { withdrawalPostings } from "../../src/core/domain/ledger-postings.js";
import { readBalances } from "../../src/core/engine/commands/account-commands.js";
import { createWhitelabel, transitionCharge } from "../../src/core/engine/commands/charge-commands.js";
import { createQuote } from "../../src/core/engine/commands/quote-commands.js";
import { Engine } from "../../src/core/engine/engine.js";
import { chargeListName } from "../../src/core/engine/indexes.js";
import { postToLedger } from "../../src/core/engine/ledger-posting.js";
import type { Change, StateDump } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import type { Command } from "../../src/core/engine/transaction.js";
import { isRefusal, refuse } from "../../src/core/schema/refusals.js";
import type { ChargeTimelineEntry } from "../../src/core/schema/scenario-rules.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import {
  asJson,
  askQuote,
  bytesOf,
  callerOf,
  catalogue,
  furnishing,
  historyOf,
  must,
  newCharge,
  newEngine,
  type Order,
  recordingStore,
  runUntil,
  SHOP,
  START_MS,
  timelineOf,
  whitelabelBody,
} from "../support/engine.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function control(chargeId: string, to: Parameters<typeof transitionCharge>[1]) {
  return transitionCharge(chargeId, to, "control");
}

function drain(currency: string, amount: string): Command<unknown> {
  const { organization_id } = SHOP.organization;
  return (tx) =>
    postToLedger(
      tx,
      "withdrawal",
      { mode: "test", organization_id, currency },
      "wd_test",
      withdrawalPostings(amount),
    );
}

/** Runs fifteen minutes of varied calls, with refusals. */
function workload(engine: Engine): void {
  const orders: Order[] = [
    { scenario: null },
    { scenario: null, email: "late@shop.test", expiresInMinutes: 1 },
    { scenario: null, email: "refunded@shop.test", base: "USD", amount: "12.34", to: "NGN", method: "card" },
    { scenario: "instant", base: "USD", amount: "25.00", to: "BTC", method: "crypto" },
    { caller: callerOf("sk_live_sandbox"), method: "bank_transfer", metadata: { order: "17" } },
    { caller: callerOf("sk_test_other"), amount: "31.50", expiresInMinutes: 2 },
  ];
  for (const [index, order] of orders.entries()) {
    const atMs = START_MS + index * 1_500;
    runUntil(engine, atMs);
    const charge = newCharge(engine, atMs, order);
    if (index === 4) must(engine.execute(control(charge.charge_id, "COMPLETED"), atMs + 10));
    expect(isRefusal(engine.execute(control(charge.charge_id, "REFUNDED"), atMs + 20))).toBe(index !== 4);
  }
  engine.execute(readBalances(SHOP), START_MS + 20_000);
  runUntil(engine, START_MS + 15 * MINUTE);
}

function idsOf(engine: Engine): Set<string> {
  const { charges, quotes, events, deliveries, endpoints } = engine.state.tables;
  return new Set([
    ...[charges, quotes, events, deliveries, endpoints].flatMap((table) => [...table.keys()].map(String)),
    ...[...charges.values()].flatMap((charge) => [charge.checkout_id, charge.provider_reference]),
    ...[...endpoints.values()].map((endpoint) => endpoint.secret),
  ]);
}

const shared = (a: Set<string>, b: Set<string>) => [...a].filter((id) => b.has(id));

it("a command makes one change with the next sequence number", () => {
  const store = recordingStore();
  const engine = newEngine({ store });
  const changeOf = <Result>(work: () => Result): { result: Result; change: Change } => {
    const { length } = store.changes;
    const { seq } = engine.state;
    const result = work();
    expect(store.changes.slice(length).map((change) => change.seq)).toEqual([seq + 1]);
    return { result, change: store.changes.at(-1)! };
  };
  const quote = changeOf(() => must(askQuote(engine, START_MS, { to: "BTC", method: "crypto" }))).result;
  const body = whitelabelBody({ method: "crypto" }, quote.quote_id);
  const whitelabel = createWhitelabel(SHOP, body, "quiet");
  const { charge_id } = changeOf(() => must(engine.execute(whitelabel, START_MS))).result;
  const { change } = changeOf(() => must(engine.execute(control(charge_id, "COMPLETED"), START_MS)));
  expect(new Set(change.puts.map(([collection]) => collection))).toEqual(
    new Set(["tasks", "holdings", "entries", "events", "charges"]),
  );
  changeOf(() => runUntil(engine, START_MS + 20 * MINUTE));
  expect(engine.state.get("charges", charge_id)?.settled_at).not.toBeNull();
  changeOf(() => must(engine.execute(control(charge_id, "REFUNDED"), START_MS)));
  changeOf(() => engine.execute(readBalances(SHOP), START_MS));
  newCharge(engine, START_MS, { expiresInMinutes: 1 });
  changeOf(() => runUntil(engine, START_MS + HOUR));
});

it("a command without effect makes no change", () => {
  const store = recordingStore();
  const engine = newEngine({ store });
  engine.execute(readBalances(SHOP), START_MS);
  const before = bytesOf(engine);
  engine.execute(readBalances(SHOP), START_MS + MINUTE);
  expect([store.changes.length, bytesOf(engine)]).toEqual([1, before]);
});

it("a command cannot run in the past", () => {
  const engine = newEngine();
  newCharge(engine, START_MS + HOUR);
  const charge = newCharge(engine, START_MS);
  expect(charge.created_at).toBe(new Date(START_MS + HOUR).toISOString());
});

it("a command runs an overdue task at the current time", () => {
  const engine = newEngine();
  engine.execute(
    (tx) => tx.schedule({ due_ms: START_MS - HOUR, rank: 1, kind: "settle", ref: "x" }),
    START_MS,
  );
  expect(engine.state.tasks.peek()?.due_ms).toBe(START_MS);
});

it("listeners are notified of changes until they unsubscribe", () => {
  const engine = newEngine();
  const heard: number[] = [];
  const stop = engine.events.on("changed", (change) => heard.push(change.seq - engine.state.seq));
  must(askQuote(engine, START_MS));
  stop();
  must(askQuote(engine, START_MS));
  expect(heard).toEqual([0]);
});

const lacksFunds = (engine: Engine): Command<unknown> => {
  const charge = newCharge(engine, START_MS);
  must(engine.execute(control(charge.charge_id, "COMPLETED"), START_MS));
  must(engine.execute(drain("KES", "0.01"), START_MS));
  return control(charge.charge_id, "REFUNDED");
};
const checkout = (engine: Engine, quoter = SHOP, scenario: string | null = null) => {
  const quote = must(askQuote(engine, START_MS, { caller: quoter }));
  return createWhitelabel(SHOP, whitelabelBody({}, quote.quote_id), scenario);
};
const tooLittle = {
  pricing: { base_currency: "UGX", amount: "0.01" },
  payment_method: "crypto",
  to_currency: "BTC",
};
const unknownQuote = whitelabelBody({}, "qt_unknown");
const refused: [string, (engine: Engine) => Command<unknown>][] = [
  ["a quote for nothing sensible", () => createQuote(SHOP, { pricing: 7 }, null)],
  ["a quote that comes to nothing", () => createQuote(SHOP, tooLittle, null)],
  ["a checkout with an unknown quote", () => createWhitelabel(SHOP, unknownQuote, null)],
  ["a checkout with another's quote", (engine) => checkout(engine, callerOf("sk_live_sandbox"))],
  ["a checkout in an unknown scenario", (engine) => checkout(engine, SHOP, "nope")],
  ["an illegal transition", (engine) => control(newCharge(engine, START_MS).charge_id, "REFUNDED")],
  ["a transition of no charge", () => control("ch_unknown", "COMPLETED")],
  ["a refund that lacks funds", lacksFunds],
  [
    "a refusal after everything was written",
    () => (tx) => {
      tx.put("rates", "KES", { code: "KES", rate: "1" });
      tx.id("charge");
      return refuse("FORBIDDEN", "no");
    },
  ],
];

it.each(refused)("refusing %s writes nothing", (_, prepare) => {
  const store = recordingStore();
  const engine = newEngine({ store, endpoint: true });
  const command = prepare(engine);
  const { length } = store.changes;
  const before = bytesOf(engine);
  expect(isRefusal(engine.execute(command, START_MS + 1))).toBe(true);
  expect([store.changes.length, bytesOf(engine)]).toEqual([length, before]);
});

it("a command that throws writes nothing", () => {
  const store = recordingStore();
  const engine = newEngine({ store });
  const before = bytesOf(engine);
  const buggy: Command<void> = (tx) => {
    tx.put("rates", "KES", { code: "KES", rate: "1" });
    throw new Error("a bug");
  };
  expect(() => engine.execute(buggy, START_MS)).toThrow("a bug");
  expect([store.changes, bytesOf(engine)]).toEqual([[], before]);
});

/** Starts an engine from a snapshot and later changes. */
function restartedFrom(snapshot: ReturnType<State["dump"]>, changes: readonly Change[]): Engine {
  return new Engine({
    name: "default",
    seed: "not the data's",
    startMs: 0,
    isStartExplicit: false,
    catalogue,
    settings: DEFAULT_SETTINGS,
    store: { ...recordingStore(), load: () => ({ snapshot, changes }) },
    setUp: () => expect.unreachable("what is kept needs no furniture"),
  });
}

it("a restarted engine continues with the same ids, tasks and lists", () => {
  const store = recordingStore();
  const engine = newEngine({ store, endpoint: true });
  workload(engine);
  const restarted = restartedFrom(store.replaced[0]!, store.changes);
  expect(bytesOf(restarted)).toBe(bytesOf(engine));
  for (const one of [engine, restarted]) {
    newCharge(one, START_MS + 20 * MINUTE, { scenario: null });
    runUntil(one, START_MS + 3 * HOUR);
  }
  expect(bytesOf(restarted)).toBe(bytesOf(engine));
  expect(restarted.state.tasks.peek()).toEqual(engine.state.tasks.peek());
  const place = chargeListName("test", SHOP.organization.organization_id);
  const [page, other] = [restarted, engine].map(({ state }) => state.page("charges", place, 0, 10));
  expect(page).toHaveLength(5);
  expect(asJson(page)).toEqual(asJson(other));
});

it("another seed or namespace has different ids", () => {
  const worked = (setup: Parameters<typeof newEngine>[0]) => {
    const engine = newEngine({ endpoint: true, ...setup });
    workload(engine);
    return idsOf(engine);
  };
  const ids = worked({ seed: "a" });
  expect(shared(ids, worked({ seed: "b" }))).toEqual([]);
  expect(shared(ids, worked({ seed: "a", name: "other" }))).toEqual([]);
});

it.each([
  ["resets", ["reset", "reset", "reset"]],
  ["a reset that repeats ids", ["reset", "repeat", "reset"]],
  ["a restore to before a reset", ["reset", "restore", "reset"]],
  ["restores of the same dump, with a reset between", ["restore", "restore", "reset", "restore"]],
])("ids are new after %s", (_name, steps) => {
  const engine = newEngine({ endpoint: true });
  workload(engine);
  const dump = asJson(engine.dump());
  const seen = idsOf(engine);
  for (const step of steps) {
    if (step === "restore") engine.load(State.from(dump));
    else engine.reset(START_MS, step === "repeat", furnishing({ endpoint: true }));
    const kept = step === "restore" ? idsOf(engine) : new Set<string>();
    workload(engine);
    const made = [...idsOf(engine)].filter((id) => !kept.has(id));
    expect(made.length).toBeGreaterThan(10);
    if (step !== "repeat") expect(made.filter((id) => seen.has(id))).toEqual([]);
    for (const id of made) seen.add(id);
  }
});

it("restoring a snapshot is recorded as a new change", () => {
  const engine = newEngine({ endpoint: true });
  workload(engine);
  const dump = asJson(engine.dump());
  newCharge(engine, START_MS + HOUR);
  const { seq } = engine.state;
  engine.load(State.from(dump));
  expect(engine.state.seq).toBe(seq + 1);
  const withoutWorld = ({ collections, ...rest }: StateDump) =>
    JSON.stringify({ ...rest, seq: 0, collections: { ...collections, namespace: [] } });
  expect(withoutWorld(engine.dump())).toBe(withoutWorld(dump));
  expect(engine.namespace).toEqual({ ...new Map(dump.collections.namespace).get("namespace"), restores: 1 });
});

const owner = { mode: "test", organization_id: "org_sandbox", currency: "KES" } as const;

it("postings that do not balance throw and commit nothing", () => {
  const store = recordingStore();
  const engine = newEngine({ store });
  const before = bytesOf(engine);
  const unbalanced: Command<unknown> = (tx) => {
    tx.put("rates", "KES", { code: "KES", rate: "1" });
    return postToLedger(tx, "test", owner, "x", [{ account: "available", amount: "1.00" }]);
  };
  expect(() => engine.execute(unbalanced, START_MS)).toThrow(/do not balance/);
  expect([store.changes, bytesOf(engine)]).toEqual([[], before]);
});

it("accounts that do not sum to zero throw", () => {
  const engine = newEngine();
  const charge = newCharge(engine, START_MS);
  must(engine.execute(control(charge.charge_id, "COMPLETED"), START_MS));
  const before = bytesOf(engine);
  const tampering: Command<unknown> = (tx) => {
    const held = tx.get("holdings", "test|org_sandbox|KES")!;
    tx.put("holdings", held.key, { ...held, balances: { ...held.balances, available: "1000000.00" } });
    return undefined;
  };
  expect(() => engine.execute(tampering, START_MS)).toThrow(/out of balance/);
  expect(bytesOf(engine)).toBe(before);
});

it("a command continues after a refused part", () => {
  const engine = newEngine();
  engine.execute((tx) => tx.put("rates", "NGN", { code: "NGN", rate: "1550" }), START_MS);
  engine.execute((tx) => {
    tx.put("rates", "KES", { code: "KES", rate: "1" });
    const counted = tx.next("thing");
    const refusal = tx.tryPart(() => {
      tx.put("rates", "KES", { code: "KES", rate: "2" });
      tx.put("rates", "GHS", { code: "GHS", rate: "3" });
      tx.remove("rates", "NGN");
      tx.next("thing");
      tx.next("other");
      return refuse("FORBIDDEN", "no");
    });
    expect(isRefusal(refusal)).toBe(true);
    expect(tx.get("rates", "NGN")?.rate).toBe("1550");
    expect([tx.next("thing"), tx.next("other")]).toEqual([counted + 1, 1]);
    tx.put("rates", "UGX", { code: "UGX", rate: "4" });
  }, START_MS);
  const rates = [...engine.state.tables.rates.values()].map(({ code, rate }) => `${code}=${rate}`);
  expect(rates).toEqual(["NGN=1550", "KES=1", "UGX=4"]);
});

it("a command reads its own writes and removals", () => {
  const engine = newEngine();
  engine.execute((tx) => {
    tx.put("rates", "KES", { code: "KES", rate: "2" });
    expect(tx.get("rates", "KES")?.rate).toBe("2");
    tx.remove("rates", "KES");
    expect(tx.get("rates", "KES")).toBeUndefined();
  }, START_MS);
  expect(engine.state.get("rates", "KES")).toBeUndefined();
});

/** Parses a timeline such as `1s PROCESSING, expiry+5m COMPLETED`. */
function timelineIn(text: string) {
  const entries = text.split(", ").map((entry) => {
    const [wait, to] = entry.split(" ");
    return wait!.startsWith("expiry+") ? { after_expiry: wait!.slice(7), to } : { after: wait, to };
  });
  return timelineOf("told", ...(entries as ChargeTimelineEntry[]));
}

function started(timeline: string) {
  const engine = newEngine({ scenarios: [timelineIn(timeline)] });
  const { charge_id } = newCharge(engine, START_MS, { scenario: "told", expiresInMinutes: 1 });
  const historyAt = (durationMs: number) => {
    runUntil(engine, START_MS + durationMs);
    return historyOf(engine, charge_id);
  };
  return { engine, charge_id, historyAt, charge: () => engine.state.get("charges", charge_id)! };
}

it.each([
  [
    "runs entry by entry, each counted from the previous",
    "1s AWAITING_PAYMENT, 2s PROCESSING, 90s FAILED",
    "PENDING@0 AWAITING_PAYMENT@1 PROCESSING@3 FAILED@93",
  ],
  [
    "ends with expiry, except the entries after_expiry and those counted from them",
    "1s AWAITING_PAYMENT, 2m FAILED, expiry+5m PROCESSING, 2s COMPLETED",
    "PENDING@0 AWAITING_PAYMENT@1 EXPIRED@60 PROCESSING@360 COMPLETED@362",
  ],
  [
    "counts every after_expiry from the expiry, also one that follows an after",
    "expiry+5m PROCESSING, 2s COMPLETED, expiry+10m REFUNDED",
    "PENDING@0 EXPIRED@60 PROCESSING@360 COMPLETED@362 REFUNDED@660",
  ],
  [
    "counts two entries after_expiry in a row from the same expiry",
    "expiry+5m PROCESSING, expiry+6m COMPLETED",
    "PENDING@0 EXPIRED@60 PROCESSING@360 COMPLETED@420",
  ],
  [
    "never reaches an entry after_expiry when the charge does not expire",
    "1s COMPLETED, expiry+1s REFUNDED",
    "PENDING@0 COMPLETED@1",
  ],
  [
    "can expire the charge itself: the late entries count from there",
    "10s EXPIRED, 1s COMPLETED, expiry+5s COMPLETED",
    "PENDING@0 EXPIRED@10 COMPLETED@15",
  ],
  ["expires first when entry and expiry are due at the same instant", "1m COMPLETED", "PENDING@0 EXPIRED@60"],
  ["prevents the expiry of a paid charge", "59s PROCESSING", "PENDING@0 PROCESSING@59"],
])("a timeline %s", (_name, timeline, history) => {
  const { engine, historyAt } = started(timeline);
  expect(historyAt(999)).toBe("PENDING@0");
  expect(historyAt(HOUR)).toBe(history);
  expect(engine.state.tables.tasks.size).toBe(0);
});

it("an illegal timeline entry has no effect, but is recorded", () => {
  const { historyAt, charge } = started("1s COMPLETED, 2s FAILED, 3s REFUNDED");
  expect(historyAt(HOUR)).toBe("PENDING@0 COMPLETED@1 REFUNDED@6");
  expect(charge().notes).toEqual([
    {
      at: new Date(START_MS + 3_000).toISOString(),
      note: "scenario told planned FAILED for now: A charge that is COMPLETED cannot become FAILED.",
    },
  ]);
});

it("a timeline entry with the current status is recorded without an event", () => {
  const { engine, historyAt, charge } = started("1s AWAITING_PAYMENT, 1s AWAITING_PAYMENT, 1s COMPLETED");
  expect(historyAt(HOUR)).toBe("PENDING@0 AWAITING_PAYMENT@1 COMPLETED@3");
  expect(charge().notes.map(({ note }) => note)).toEqual([
    "scenario told planned AWAITING_PAYMENT for now: reached before",
  ]);
  expect(engine.state.count("events")).toBe(2);
});

it("a timeline refund above the balance is recorded without a posting", () => {
  const { engine, historyAt, charge, charge_id } = started("1s COMPLETED, 1s REFUNDED");
  historyAt(1_000);
  must(engine.execute(drain("KES", "100.00"), START_MS + 1_500));
  const held = engine.state.get("holdings", "test|org_sandbox|KES");
  expect(historyAt(HOUR)).toBe("PENDING@0 COMPLETED@1");
  expect(charge().notes[0]?.note).toMatch(/^scenario told planned REFUNDED for now: .*too low/);
  expect(engine.state.get("holdings", "test|org_sandbox|KES")).toEqual(held);
  expect(engine.state.entriesOf(charge_id).map((entry) => entry.kind)).toEqual(["payment", "settlement"]);
});

it.each(["EXPIRED", "CANCELLED", "FAILED", "PROCESSING", "COMPLETED"] as const)(
  "a manual transition to %s leaves no scheduled task",
  (to) => {
    const { engine, charge, charge_id } = started("30s PROCESSING");
    must(engine.execute(control(charge_id, to), START_MS + 5_000));
    expect([charge().tasks, engine.state.tasks.peek()]).toEqual([{}, undefined]);
  },
);
