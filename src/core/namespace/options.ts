import type * as z from "zod/mini";
import type { Catalogue } from "../domain/catalogue.js";
import type { State } from "../engine/state.js";
import type { Store } from "../engine/store.js";
import type { ClockSetting, webhookOptionSchema } from "../schema/options.js";
import type { Scenario } from "../schema/scenario.js";
import type { Settings } from "../schema/settings.js";
import type { Snapshots } from "../store/storage.js";
import type { Wall } from "../time/wall.js";
import type { AdviceLog } from "./advice/advisor.js";
import type { Counters } from "./counters.js";
import type { HeapGuard } from "./heap-guard.js";

export type WebhookOption = z.infer<typeof webhookOptionSchema>;

export interface NamespaceOptions {
  readonly name: string;
  /** Undefined: whatever the data says, else made up. */
  readonly seed: string | undefined;
  readonly defaultSeed: string;
  readonly clock: ClockSetting | undefined;
  readonly startMs: number | undefined;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly scenarios: readonly Scenario[];
  /** Names of those that are from files of the user's. */
  readonly fileScenarios: readonly string[];
  /** Names of scenarios active from the start, the last one asked first. */
  readonly activeScenarios: readonly string[];
  readonly webhooks: readonly WebhookOption[];
  readonly webhookSecret: string;
  /** Requests a minute and key; undefined is no limit. */
  readonly rateLimit: number | undefined;
  readonly publicUrl?: string | undefined;
  readonly webhookTimeoutMs: number;
  /** The longest a fault holds an answer, in wall time. */
  readonly holdLimitMs: number;
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly store: Store;
  /** Throws when the state that the store had cannot be gone on from; without it nothing is checked. */
  readonly audit?: ((state: State) => void) | undefined;
  /** Where snapshots are kept; asked for once the store is open. */
  readonly snapshots: () => Snapshots;
  /** Where what its app does against the service's advice is noted too. */
  readonly advice: AdviceLog;
  /** Where what its app has met is counted too. */
  readonly met: Counters;
  /** How often each rule of a scenario is applied, in all namespaces together. */
  readonly rulesInAll: Map<string, number>;
  /** Asked before each change, and told what may have freed memory. */
  readonly room: HeapGuard;
  readonly wall: Wall;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  /** Told what a person at the terminal wants to know while it runs. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}
