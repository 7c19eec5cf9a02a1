import { Catalogue } from "../../src/core/domain/catalogue.js";
import type { Charge } from "../../src/core/domain/charge-transition.js";
import { createWhitelabel } from "../../src/core/engine/commands/charge-commands.js";
import { recordAttempt } from "../../src/core/engine/commands/delivery-commands.js";
import { registerEndpoint } from "../../src/core/engine/commands/endpoint-commands.js";
import { createQuote } from "../../src/core/engine/commands/quote-commands.js";
import { storeScenario } from "../../src/core/engine/commands/scenario-commands.js";
import { Engine } from "../../src/core/engine/engine.js";
import type { Change, Quote, StateDump, Task } from "../../src/core/engine/records.js";
import type { Store, StoreEvents } from "../../src/core/engine/store.js";
import { commandOf } from "../../src/core/engine/task-commands.js";
import type { Caller, Command } from "../../src/core/engine/transaction.js";
import { isRefusal, type Refusal } from "../../src/core/schema/refusals.js";
import type { ChargeTimelineEntry, Scenario } from "../../src/core/schema/scenario-rules.js";
import { DEFAULT_SETTINGS, type Settings } from "../../src/core/schema/settings.js";
import { createMemoryStore } from "../../src/core/store/storage.js";
import { loadShippedContent } from "../../src/tools/scenario/shipped.js";

export const START_MS = Date.UTC(2026, 0, 31, 9);

const shipped = await loadShippedContent();
export const catalogue = new Catalogue(shipped.fixtures);

/** A scenario in which charges only expire. */
export const QUIET: Scenario = {
  name: "quiet",
  charges: [{ timeline: [] }],
  withdrawals: [{ timeline: [] }],
};

export function timelineOf(name: string, ...timeline: ChargeTimelineEntry[]): Scenario {
  return { name, charges: [{ timeline }] };
}

export interface EngineSetup {
  readonly name?: string;
  readonly seed?: string;
  readonly store?: Store;
  readonly settings?: Partial<Settings>;
  /** Additional scenarios; the built-in ones and `quiet` always exist. */
  readonly scenarios?: readonly Scenario[];
  /** True if an endpoint subscribes to every test-mode event. */
  readonly endpoint?: boolean;
}

/** Returns the command that creates the initial state. */
export function furnishing(setup: EngineSetup = {}): Command<void> {
  return (tx) => {
    for (const scenario of [...shipped.scenarios, QUIET, ...(setup.scenarios ?? [])])
      storeScenario(scenario, { active: false, byHand: false })(tx);
    if (setup.endpoint === true)
      registerEndpoint({ url: "http://shop.test/hooks", mode: "test", organizationId: null, events: ["*"] })(
        tx,
      );
  };
}

export function newEngine(setup: EngineSetup = {}): Engine {
  return new Engine({
    name: setup.name ?? "default",
    seed: setup.seed ?? "seed",
    startMs: START_MS,
    isStartExplicit: true,
    catalogue,
    settings: { ...DEFAULT_SETTINGS, ...setup.settings },
    store: setup.store ?? createMemoryStore(),
    setUp: furnishing(setup),
  });
}

/** A store that records changes and fails on request. */
export interface RecordingStore extends Store {
  readonly changes: Change[];
  readonly replaced: StateDump[];
  /** The next `append` throws this error once. */
  failure: Error | undefined;
  events: StoreEvents | undefined;
}

export function recordingStore(): RecordingStore {
  return {
    changes: [],
    replaced: [],
    failure: undefined,
    events: undefined,
    ...createMemoryStore(),
    load(events) {
      this.events = events;
      return undefined;
    },
    append(change) {
      const { failure } = this;
      this.failure = undefined;
      if (failure !== undefined) throw failure;
      this.changes.push(asJson(change));
      this.events?.onSafe(change.seq);
    },
    replace(dump) {
      this.replaced.push(asJson(dump));
      this.events?.onSafe(dump.seq);
    },
  };
}

/** Returns the value after serialization and parsing. */
export function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** Returns the whole state as JSON. */
export function bytesOf(engine: Engine): string {
  return JSON.stringify(engine.dump());
}

export function callerOf(key: string): Caller {
  const { organization_id } = catalogue.key(key)!;
  return {
    key,
    mode: key.startsWith("sk_live_") ? "live" : "test",
    organization: catalogue.organization(organization_id)!,
  };
}

export const SHOP = callerOf("sk_test_sandbox");

export function must<Result>(result: Result | Refusal): Result {
  if (isRefusal(result))
    throw new Error(`${result.code}: ${result.message} ${JSON.stringify(result.details)}`);
  return result;
}

export interface Order {
  readonly caller?: Caller;
  readonly base?: string;
  readonly amount?: string;
  readonly to?: string;
  readonly method?: string;
  readonly email?: string;
  readonly metadata?: Record<string, string>;
  /** Name of the scenario; default: `quiet`. Null selects one by its rules. */
  readonly scenario?: string | null;
  readonly expiresInMinutes?: number;
}

const METHOD_FIELDS: Record<string, object> = {
  mobile_money: { phone_number: "+254700000001" },
  bank_transfer: { bank_account_number: "0123456789" },
};

export function askQuote(engine: Engine, atMs: number, order: Order = {}): Quote | Refusal {
  return engine.execute(
    createQuote(
      order.caller ?? SHOP,
      {
        pricing: { base_currency: order.base ?? "KES", amount: order.amount ?? "100.00" },
        payment_method: order.method ?? "mobile_money",
        ...(order.to === undefined ? {} : { to_currency: order.to }),
      },
      null,
    ),
    atMs,
  );
}

export function whitelabelBody(order: Order, quoteId: string): object {
  const method = order.method ?? "mobile_money";
  return {
    pricing: { base_currency: order.base ?? "KES", amount: order.amount ?? "100.00" },
    customer_email: order.email ?? "ada@shop.test",
    quote_id: quoteId,
    payment_method: method,
    ...METHOD_FIELDS[method],
    ...(order.metadata === undefined ? {} : { metadata: order.metadata }),
    ...(order.expiresInMinutes === undefined ? {} : { expires_in_minutes: order.expiresInMinutes }),
  };
}

/** Creates a quote and a charge with it. */
export function newCharge(engine: Engine, atMs: number, order: Order = {}): Charge {
  const quote = must(askQuote(engine, atMs, order));
  const { scenario = "quiet" } = order;
  return must(
    engine.execute(
      createWhitelabel(order.caller ?? SHOP, whitelabelBody(order, quote.quote_id), scenario),
      atMs,
    ),
  );
}

export const DELIVERED = {
  sent_at: new Date(START_MS).toISOString(),
  duration_ms: 1,
  request_headers: {},
  status: 200,
  response_body: "",
  error: null,
  retryAfterMs: null,
};

/** Runs all tasks until the time, and delivers every webhook. */
export function runUntil(engine: Engine, untilMs: number, onRan?: (task: Task) => void): Task[] {
  const ran: Task[] = [];
  const { tasks } = engine.state;
  for (let task = tasks.takeDue(untilMs); task !== undefined; task = tasks.takeDue(untilMs)) {
    const command = task.kind === "attempt" ? recordAttempt(task, DELIVERED) : commandOf(task);
    engine.execute(command, task.due_ms);
    ran.push(task);
    onRan?.(task);
  }
  return ran;
}

/** Formats a charge's statuses with their seconds: `PENDING@0 COMPLETED@2.5`. */
export function historyOf(engine: Engine, chargeId: string): string {
  const { status_history } = engine.state.get("charges", chargeId)!;
  return status_history.map(({ status, at }) => `${status}@${(Date.parse(at) - START_MS) / 1_000}`).join(" ");
}
