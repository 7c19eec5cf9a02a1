import type { AttemptWrapper } from "../delivery/sender.js";
import type { Catalogue } from "../domain/catalogue.js";
import type { State } from "../engine/state.js";
import type { Store } from "../engine/store.js";
import type { ClockSetting, WebhookOption } from "../schema/option-schemas.js";
import type { Scenario } from "../schema/scenario-rules.js";
import type { Settings } from "../schema/settings.js";
import type { Snapshots } from "../store/storage.js";
import type { WallClock } from "../time/wall-clock.js";
import type { AdviceLog } from "./advisor.js";
import type { CoverageCounters } from "./counters.js";

/** Options that all namespaces of a server share. */
export interface NamespaceDefaults {
  /** If undefined, a stored namespace keeps its seed and a new namespace gets `defaultSeed`. */
  readonly seed: string | undefined;
  readonly defaultSeed: string;
  readonly clock: ClockSetting | undefined;
  readonly startMs: number | undefined;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly scenarios: readonly Scenario[];
  /** Names of scenarios from user files. */
  readonly fileScenarios: readonly string[];
  /** Names of scenarios active from the start, highest priority first. */
  readonly activeScenarios: readonly string[];
  readonly webhooks: readonly WebhookOption[];
  readonly webhookSecret: string;
  /** Requests per minute and key; undefined: no limit. */
  readonly rateLimit: number | undefined;
  readonly publicUrl?: string | undefined;
  readonly webhookTimeoutMs: number;
  readonly aroundAttempt?: AttemptWrapper | undefined;
  /** Longest hold of a response by a fault, in wall time. */
  readonly holdLimitMs: number;
  readonly apiKey: string;
  readonly liveApiKey: string;
  /** Throws if a stored state is inconsistent. If undefined, stored states are not checked. */
  readonly audit?: ((state: State) => void) | undefined;
  readonly wall: WallClock;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  /** Receives messages for the terminal. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

export interface NamespaceOptions extends NamespaceDefaults {
  readonly name: string;
  readonly store: Store;
  /** True if a contradiction between stored data and `seed` or `startMs` is no error: a takeover must not fail. */
  readonly acceptsOrigin?: boolean | undefined;
  /** Called after the store is open. */
  readonly snapshots: () => Snapshots;
  /** Log that collects the advice of all namespaces. */
  readonly totalAdvice: AdviceLog;
  /** Counts of all namespaces. */
  readonly totalCounters: CoverageCounters;
  /** Scenario rule → how often it was applied, in all namespaces. */
  readonly totalRuleCounts: Map<string, number>;
}
