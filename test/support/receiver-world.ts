import { Catalogue } from "../../src/core/domain/catalogue.js";
import type { Change, StateDump } from "../../src/core/engine/records.js";
import type { Store, StoreEvents } from "../../src/core/engine/store.js";
import type { NamespaceOptions } from "../../src/core/namespace/namespace-options.js";
import { Namespaces } from "../../src/core/namespace/namespaces.js";
import { DEFAULT_WEBHOOK_SECRET, parseClockSetting } from "../../src/core/schema/option-schemas.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import { createMemoryStorage, createMemoryStore, type Storage } from "../../src/core/store/storage.js";
import { MAX_TIMER_MS, type WallClock } from "../../src/core/time/wall-clock.js";
import { scenarioTools } from "../../src/library/opening.js";
import { Sandbox } from "../../src/library/sandbox.js";
import { PAGES } from "../../src/pages/page-routes.js";
import { createApps } from "../../src/server/http/app.js";
import { loadShippedContent } from "../../src/tools/scenario/shipped.js";
import { closedAtEnd } from "./lifetime.js";
import { Client } from "./receiver-client.js";

/** A wall clock that tests advance. */
export class FakeWall implements WallClock {
  #nowMs: number;
  #elapsedMs = 0;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  /** Delays of all timers in order. */
  readonly delays: number[] = [];

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    this.delays.push(delayMs);
    const timer = { atMs: this.#nowMs + Math.min(Math.max(0, Math.ceil(delayMs)), MAX_TIMER_MS), callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** Remaining milliseconds of the active timers. */
  get armed(): number[] {
    return this.#timers.map((timer) => timer.atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Advances time and runs each timer at its due time. */
  elapse(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs;
    for (;;) {
      const next = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#pass(Math.max(0, next.atMs - this.#nowMs));
      next.callback();
    }
    this.#pass(untilMs - this.#nowMs);
  }

  #pass(durationMs: number): void {
    this.#nowMs += durationMs;
    this.#elapsedMs += durationMs;
  }

  /** Changes the wall time without running timers. */
  step(byMs: number): void {
    this.#nowMs += byMs;
    this.#timers = this.#timers.map((timer) => ({ ...timer, atMs: timer.atMs + byMs }));
  }
}

/** A store that keeps changes as JSON and can refuse writes. */
export class KeptStore implements Store {
  refuses = false;
  #snapshot: string | undefined;
  #changes: string[] = [];
  #events: StoreEvents | undefined;

  load(events: StoreEvents) {
    this.#events = events;
    if (this.#snapshot === undefined) return undefined;
    return {
      snapshot: JSON.parse(this.#snapshot) as StateDump,
      changes: this.#changes.map((line) => JSON.parse(line) as Change),
    };
  }

  append(change: Change): void {
    if (this.refuses) throw new Error("disk full");
    this.#changes.push(JSON.stringify(change));
    this.#events?.onSafe(change.seq);
  }

  replace(state: StateDump): void {
    if (this.refuses) throw new Error("disk full");
    this.#snapshot = JSON.stringify(state);
    this.#changes = [];
    this.#events?.onSafe(state.seq);
  }

  compactIfLarge(): undefined {}

  close(): void {}

  toLoadError(cause: unknown): unknown {
    return cause;
  }
}

export interface WorldWishes extends Partial<Omit<NamespaceOptions, "clock">> {
  /** Value of the clock option: `real`, `manual`, `60x`. */
  readonly clockText?: string;
  /** Storage of all namespaces instead of one store. */
  readonly storage?: (onError: (failure: Error) => void) => Storage;
}

/** Opens a sandbox on a given wall clock and store. */
export async function worldOn(wall: WallClock, wishes: WorldWishes = {}) {
  const { clockText, storage, ...options } = wishes;
  const { fixtures, scenarios } = await loadShippedContent();
  const errors: unknown[] = [];
  const { store = createMemoryStore(), ...rest } = options;
  const shared = {
    seed: undefined,
    defaultSeed: "test",
    clock: clockText === undefined ? undefined : parseClockSetting(clockText),
    startMs: undefined,
    catalogue: new Catalogue(fixtures),
    settings: DEFAULT_SETTINGS,
    scenarios,
    fileScenarios: [],
    activeScenarios: [],
    webhooks: [],
    webhookSecret: DEFAULT_WEBHOOK_SECRET,
    rateLimit: undefined,
    webhookTimeoutMs: 15_000,
    holdLimitMs: 30_000,
    apiKey: "sk_test_sandbox",
    liveApiKey: "sk_live_sandbox",
    wall,
    version: "0.0.0",
    onError: (error: unknown) => errors.push(error),
    ...rest,
  };
  const host = new Namespaces({
    base: shared,
    autoNamespaces: false,
    scenarios: scenarioTools,
    storage: storage?.(shared.onError) ?? { ...createMemoryStorage(), open: () => store },
  });
  const world = host.default;
  const onError = (error: unknown) => errors.push(error);
  const apps = createApps({
    namespaces: host,
    pages: PAGES,
    documentOf: () => Promise.reject(new Error("no documents here")),
    onError,
  });
  const sandbox = closedAtEnd(new Sandbox(host, apps, { onError }));
  return { world, sandbox, client: Client.of(sandbox), errors };
}
