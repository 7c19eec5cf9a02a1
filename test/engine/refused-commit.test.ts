import fc from "fast-check";
import { expect, it } from "vitest";
import { readBalances } from "../../src/core/engine/commands/account-commands.js";
import { createWhitelabel, transitionCharge } from "../../src/core/engine/commands/charge-commands.js";
import { recordAttempt } from "../../src/core/engine/commands/delivery-commands.js";
import { deleteEndpoint, registerEndpoint } from "../../src/core/engine/commands/endpoint-commands.js";
import { redeliver } from "../../src/core/engine/commands/event-commands.js";
import { createQuote } from "../../src/core/engine/commands/quote-commands.js";
import {
  addFault,
  removeFaults,
  removeScenario,
  storeScenario,
} from "../../src/core/engine/commands/scenario-commands.js";
import { decodeChange, encodeChange } from "../../src/core/engine/encode-change.js";
import { Engine } from "../../src/core/engine/engine.js";
import { idempotentCommand } from "../../src/core/engine/idempotency.js";
import { auditState } from "../../src/core/engine/intake/read-state.js";
import { setRates } from "../../src/core/engine/market.js";
import type { RecordKey } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { commandOf } from "../../src/core/engine/task-commands.js";
import type { Command } from "../../src/core/engine/transaction.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { createMemoryStore } from "../../src/core/store/storage.js";
import {
  asJson,
  bytesOf,
  catalogue,
  DELIVERED,
  furnishing,
  must,
  QUIET,
  SHOP,
  START_MS,
  whitelabelBody,
} from "../support/engine.js";

/** A small limit, so that old events are removed during the test. */
const SETTINGS = { ...DEFAULT_SETTINGS, retention: { ...DEFAULT_SETTINGS.retention, events: 6 } };

/** Opens an engine whose store can refuse commits. */
function opened(endpoint = true) {
  const store = { refuses: false, lines: [] as string[] };
  const engine = new Engine({
    name: "default",
    seed: "seed",
    startMs: START_MS,
    isStartExplicit: true,
    catalogue,
    settings: SETTINGS,
    store: {
      ...createMemoryStore(),
      append: (change, before) => {
        if (store.refuses) throw new Error("disk full");
        store.lines.push(JSON.stringify(encodeChange(change, before)));
      },
    },
    setUp: furnishing({ endpoint }),
  });
  return { engine, store };
}

/** A random step after a delay. */
interface Step {
  readonly do: keyof typeof STEPS;
  readonly which: number;
  readonly afterMs: number;
}

type Make = (engine: Engine, which: number) => Command<unknown> | undefined;

/** Calls `make` with one of the table's ids. */
function withNth<Result>(
  table: ReadonlyMap<RecordKey, unknown>,
  which: number,
  make: (id: string) => Result,
): Result | undefined {
  const ids = [...table.keys()].map(String);
  return ids.length === 0 ? undefined : make(ids[which % ids.length]!);
}

const listenAt = (url: string) =>
  registerEndpoint({ url, mode: "test", organizationId: null, events: ["*"] });

const pay = (quoteId: string, which: number) =>
  createWhitelabel(SHOP, whitelabelBody({ expiresInMinutes: 1 }, quoteId), which % 2 ? null : "quiet");

const quoted = createQuote(
  SHOP,
  { pricing: { base_currency: "KES", amount: "100.00" }, payment_method: "mobile_money" },
  null,
);

const STEPS = {
  quote: () => quoted,
  // The quote may be expired or used.
  order: (_, which) => (tx) => pay(must(quoted(tx)).quote_id, which)(tx),
  charge: ({ state }, which) => withNth(state.tables.quotes, which, (id) => pay(id, which)),
  move: ({ state }, which) => {
    const to = (["COMPLETED", "FAILED", "CANCELLED"] as const)[which % 3]!;
    return withNth(state.tables.charges, which, (id) => transitionCharge(id, to, "control"));
  },
  // Uses few keys, so that they repeat.
  once: (_, which) =>
    idempotentCommand(
      { key: `key-${which % 3}`, scope: "one", body: {} },
      (tx) => ({ made: tx.next("made") }),
      JSON.stringify,
    ),
  listen: (_, which) => listenAt(`http://shop-${which % 3}.test/`),
  leave: ({ state }, which) => withNth(state.tables.endpoints, which, (id) => deleteEndpoint(undefined, id)),
  scenario: (_, which) =>
    storeScenario(
      { ...QUIET, name: `mine-${which % 3}` },
      { active: which % 2 === 0, byHand: which % 2 === 1 },
    ),
  forget: ({ state }, which) => {
    const name = `mine-${which % 3}`;
    return state.get("scenarios", name) && removeScenario(name);
  },
  fault: () => addFault({ match: { operation: "createQuote" }, respond: { status: 503 } }),
  mend: ({ state }, which) => withNth(state.tables.faults, which, removeFaults),
  rates: (_, which) => setRates({ NGN: `${1500 + which}` }),
  balances: () => readBalances(SHOP),
  again: ({ state }, which) => withNth(state.tables.deliveries, which, (id) => redeliver(id, 1)),
  wait: () => undefined,
  // A lookup builds the index of all events.
  look: ({ state }) => {
    state.get("events", "none");
    return undefined;
  },
} satisfies Record<string, Make>;

/** Runs due tasks first, as the scheduler does. */
function carryOut(engine: Engine, step: Step, atMs: number): void {
  const { tasks } = engine.state;
  for (let task = tasks.takeDue(atMs); task !== undefined; task = tasks.takeDue(atMs)) {
    const due = task;
    const command = due.kind === "attempt" ? recordAttempt(due, DELIVERED) : commandOf(due);
    try {
      engine.execute(command, due.due_ms);
    } catch (error) {
      engine.state.tasks.putBack(due);
      throw error;
    }
  }
  const make: Make = STEPS[step.do];
  const command = make(engine, step.which);
  if (command !== undefined) engine.execute(command, atMs);
}

/** Looks up every record by every index. */
function found({ state, appliedCounts }: Engine) {
  const { charges, events, deliveries, scenarios } = state.tables;
  const ids = [...charges.keys()].map(String);
  return {
    tasks: [...state.tasks.inOrder()],
    planned: state.plannedTaskCount,
    charges: state.page("charges", "charges", 0, 100),
    alike: state.pageOfKinds("charges", ({ status }) => status !== "EXPIRED", 0, 100),
    newest: state.page("events", "events", 0, 100),
    closed: state.oldestClosedEvents(100),
    types: state.eventTypes().sort(),
    remembered: state.oldestOf("idempotency", 100),
    endpoints: state.endpoints(),
    of: ids.map((id) => [state.tasksOf(id), state.eventsOf(id), state.entriesOf(id)]),
    deliveries: [...events.keys()].map((id) => state.deliveriesOf(String(id))),
    counts: [deliveries.size, [...deliveries.values()].length, scenarios.has("mine-1")],
    rules: [...scenarios.values()].map(({ scenario }) => appliedCounts.of(scenario)),
  };
}

const step = fc.record({
  do: fc.constantFrom(
    ...(Object.keys(STEPS) as (keyof typeof STEPS)[]),
    ...(["order", "order", "order", "move", "move", "move", "look"] as const),
  ),
  which: fc.nat(5),
  afterMs: fc.constantFrom(0, 0, 500, 2_000, 70_000, 90_000_000),
});
const refusable = fc.record({ step, fails: fc.boolean(), isLookedAt: fc.boolean() });

it.each([
  ["with an endpoint", true],
  ["without an endpoint", false],
])("a failed write leaves the state unchanged, %s", (_name, endpoint) => {
  let refused = 0;
  fc.assert(
    fc.property(fc.array(refusable, { maxLength: 60 }), (steps) => {
      const { engine, store } = opened(endpoint);
      const again = State.from(asJson(engine.dump()));
      // Runs the same steps without refusals.
      const { engine: model } = opened(endpoint);
      for (const { step, fails, isLookedAt } of steps) {
        const atMs = engine.state.at + step.afterMs;
        const before = { bytes: bytesOf(engine), found: isLookedAt ? found(engine) : undefined };
        store.refuses = fails;
        try {
          carryOut(engine, step, atMs);
        } catch (error) {
          expect(error).toMatchObject({ message: "disk full" });
          refused++;
          expect(bytesOf(engine)).toBe(before.bytes);
          if (isLookedAt) expect(found(engine)).toEqual(before.found);
          store.refuses = false;
          carryOut(engine, step, atMs);
        }
        carryOut(model, step, atMs);
        expect(bytesOf(engine)).toBe(bytesOf(model));
        if (isLookedAt) expect(found(engine)).toEqual(found(model));
      }
      expect(found(engine)).toEqual(found(model));
      for (const line of store.lines) again.apply(decodeChange(JSON.parse(line), again));
      expect(JSON.stringify(again.dump())).toBe(bytesOf(engine));
      auditState(State.from(asJson(engine.dump())), { catalogue, settings: SETTINGS });
    }),
    { numRuns: 60 },
  );
  expect(refused).toBeGreaterThan(50);
});
