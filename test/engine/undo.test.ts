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
import type { RecordKey, RecordPut } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { commandOf } from "../../src/core/engine/task-commands.js";
import type { Command } from "../../src/core/engine/transaction.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { createMemoryStore } from "../../src/core/store/memory-storage.js";
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

/** Small, so that turns let go of events and their deliveries. */
const SETTINGS = { ...DEFAULT_SETTINGS, retention: { ...DEFAULT_SETTINGS.retention, events: 6 } };

/** An engine whose turns end when the test says so, in a store that refuses when it says so. */
function opened(endpoint = true) {
  const store = { refuses: false, kept: 0, lines: [] as string[] };
  const engine = new Engine({
    name: "default",
    seed: "seed",
    startMs: START_MS,
    isStartExplicit: true,
    catalogue,
    settings: SETTINGS,
    store: {
      ...createMemoryStore(),
      encode: (change, before) => encodeChange(change, before),
      append: (changes) => {
        if (store.refuses) throw new Error("disk full");
        store.kept += changes.length;
        store.lines.push(...changes.map((change) => JSON.stringify(change)));
      },
    },
    setUp: furnishing({ endpoint }),
    atEndOfTick: () => {},
  });
  return { engine, store };
}

/** What is done at a time of its own: `which` picks among what there is. */
interface Step {
  readonly do: keyof typeof STEPS;
  readonly which: number;
  readonly afterMs: number;
}

type Make = (engine: Engine, which: number) => Command<unknown> | undefined;

/** What is done to one of the table's records, if it has any. */
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
  // Whatever has become of the quotes.
  order: (_, which) => (tx) => pay(must(quoted(tx)).quote_id, which)(tx),
  charge: ({ state }, which) => withNth(state.tables.quotes, which, (id) => pay(id, which)),
  move: ({ state }, which) => {
    const to = (["COMPLETED", "FAILED", "CANCELLED"] as const)[which % 3]!;
    return withNth(state.tables.charges, which, (id) => transitionCharge(id, to, "control"));
  },
  // The same few keys again and again, also after they are forgotten.
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
  // Whoever looks for an event has all of them filed, also those of a turn that is not kept yet.
  look: ({ state }) => {
    state.get("events", "none");
    return undefined;
  },
} satisfies Record<string, Make>;

/** What is due happens first, as the scheduler has it; what it takes is put back with its turn. */
function carryOut(engine: Engine, step: Step, atMs: number): void {
  for (let task = engine.takeDue(atMs); task !== undefined; task = engine.takeDue(atMs)) {
    const due = task;
    const command = due.kind === "attempt" ? recordAttempt(due, DELIVERED) : commandOf(due);
    engine.execute(command, due.due_ms, () => engine.state.tasks.putBack(due));
  }
  const make: Make = STEPS[step.do];
  const command = make(engine, step.which);
  if (command !== undefined) engine.execute(command, atMs);
}

/** All that is looked up by more than a key, in its order. */
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
const turn = fc.record({
  steps: fc.array(step, { maxLength: 8 }),
  fails: fc.boolean(),
  isLookedAt: fc.boolean(),
});

it.each([
  ["everybody is told of", true],
  ["nobody is told of", false],
])(
  "a turn that cannot be kept, and that %s, leaves the state byte for byte as it was, and what follows as if it had never been",
  (_who, endpoint) => {
    let undone = 0;
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
        const { engine, store } = opened(endpoint);
        const again = State.from(asJson(engine.dump()));
        // The same without the turns that fail, and looked at after each.
        const { engine: model } = opened(endpoint);
        for (const { steps, fails, isLookedAt } of turns) {
          const before = {
            bytes: bytesOf(engine),
            found: isLookedAt ? found(engine) : found(model),
            kept: store.kept,
          };
          const play = (on: Engine): void => {
            let atMs = on.state.at;
            for (const one of steps) carryOut(on, one, (atMs += one.afterMs));
          };
          play(engine);
          store.refuses = fails;
          if (fails && !engine.isStored) {
            undone++;
            expect(() => engine.flush()).toThrow("disk full");
            expect(bytesOf(engine)).toBe(before.bytes);
            if (isLookedAt) expect(found(engine)).toEqual(before.found);
          } else {
            engine.flush();
            play(model);
            model.flush();
          }
          expect(bytesOf(engine)).toBe(bytesOf(model));
          if (isLookedAt) expect(found(engine)).toEqual(found(model));
        }
        expect(found(engine)).toEqual(found(model));
        // From the lines alone: whoever reads them has looked at nothing meanwhile.
        for (const line of store.lines) again.apply(decodeChange(JSON.parse(line), again));
        expect(JSON.stringify(again.dump())).toBe(bytesOf(engine));
        auditState(State.from(asJson(engine.dump())), { catalogue, settings: SETTINGS });
      }),
      { numRuns: 60 },
    );
    expect(undone).toBeGreaterThan(50);
  },
);

it("what is taken back has its place again in each order there is, and what is hidden is not there", () => {
  const { engine } = opened();
  for (const url of ["http://a.test/", "http://b.test/"]) engine.execute(listenAt(url), START_MS);
  const steps = [
    ["quote", 0],
    ["charge", 1],
    ["move", 0],
    ["charge", 1],
    ["scenario", 1],
  ] as const;
  for (const [name, which] of steps) carryOut(engine, { do: name, which, afterMs: 0 }, START_MS);
  engine.flush();
  const { state } = engine;
  const [event] = [...state.tables.events.keys()].map(String);
  const [, charge] = [...state.tables.charges.keys()].map(String);
  const look = () => ({
    bytes: bytesOf(engine),
    deliveries: state.deliveriesOf(event!),
    planned: state.tasksOf(charge!),
    due: [...state.tasks.inOrder()],
  });
  const before = look();
  expect([before.deliveries.length, before.planned.length]).toEqual([3, 2]);
  // The first of each goes first, so that they come back the other way round.
  const goes: RecordPut[] = [
    ...before.deliveries.toReversed().map(({ delivery_id }): RecordPut => ["deliveries", delivery_id, null]),
    ...before.planned.map(({ task_id }): RecordPut => ["tasks", task_id, null]),
  ];
  const change = (puts: RecordPut[]) => ({ seq: state.seq + 1, at: state.at, puts, counters: {} });
  const scenario = state.get("scenarios", "quiet")!;
  const undo = [
    state.applyUndoably(change(goes)),
    state.applyUndoably(change([["scenarios", "mine-1", null]])),
    state.applyUndoably(change([["scenarios", "quiet", null]])),
  ];
  // What is gone is passed over for good, as far as anybody knows.
  expect(engine.nextTask()).toBeUndefined();
  const names = [...state.tables.scenarios.keys()];
  expect([state.tables.scenarios.has("quiet"), names.length]).toEqual([false, state.tables.scenarios.size]);
  undo.push(state.applyUndoably(change([["scenarios", "quiet", scenario]])));
  expect([...state.tables.scenarios.keys()]).toEqual([...names, "quiet"]);
  for (const takeBack of undo.toReversed()) takeBack();
  state.tasks.restoreDropped();
  expect(look()).toEqual(before);
});
