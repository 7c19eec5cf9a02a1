import type * as z from "zod/mini";
import type { AttemptWrapper } from "../delivery/sender.js";
import type { Catalogue } from "../domain/catalogue.js";
import type { MemoryMeter } from "../engine/memory-meter.js";
import type { State } from "../engine/state.js";
import type { Store } from "../engine/store.js";
import type { NamespaceIdentity, namespaceRequestSchema } from "../schema/control-requests.js";
import { errorText } from "../schema/error-text.js";
import { type ClockSetting, DEFAULT_NAMESPACE, type WebhookOption } from "../schema/option-schemas.js";
import { type Refusal, refuse, refuseInvalid } from "../schema/refusals.js";
import type { Scenario } from "../schema/scenario-rules.js";
import type { Settings } from "../schema/settings.js";
import { secretFaults } from "../schema/signature-schemes.js";
import type { Snapshots } from "../store/storage.js";
import { StoreError } from "../store/store-error.js";
import type { WallClock } from "../time/wall-clock.js";
import type { Advice } from "./advice.js";
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
  /** Receives the advice on what a reset or a deletion removes. */
  readonly keepAdvice: (advice: readonly Advice[]) => void;
  /** Counts of all namespaces. */
  readonly totalCounters: CoverageCounters;
  /** Scenario rule → how often it was applied, in all namespaces. */
  readonly totalRuleCounts: Map<string, number>;
  /** Counts the bytes of all namespaces together, and limits them. */
  readonly memory: MemoryMeter;
}

/** Creation parameters of a namespace; all are optional. */
export type CreateNamespaceRequest = z.infer<typeof namespaceRequestSchema>;

const AUTO_KEY = /^sk_(?:test|live)_ns_(.*)$/s;

export function apiKeysOf(name: string, { api_key }: NamespaceIdentity): [string, string] {
  const apiKey = api_key ?? `sk_test_ns_${name}`;
  return [apiKey, apiKey.replace("sk_test_", "sk_live_")];
}

/** Returns the namespace's name that an automatic API key contains. */
export function namespaceInKey(apiKey: string): string | undefined {
  return AUTO_KEY.exec(apiKey)?.[1];
}

/** Webhooks with `{namespace}` in their URL apply to every namespace; others only to the default one. */
export function resolveInheritedWebhooks(webhooks: readonly WebhookOption[], name: string): WebhookOption[] {
  return webhooks.flatMap((webhook) => {
    const url = webhook.url?.replace(/\{namespace\}|%7Bnamespace%7D/gi, name);
    return url !== webhook.url || name === DEFAULT_NAMESPACE ? [{ ...webhook, url }] : [];
  });
}

/** Checks the secrets of a new namespace and its endpoints, inherited endpoints included. */
export function refuseInvalidSecrets(
  base: Pick<NamespaceDefaults, "webhookSecret" | "settings" | "webhooks">,
  name: string,
  request: CreateNamespaceRequest,
): Refusal | undefined {
  const webhooks = request.webhooks ?? [];
  const faults = secretFaults({
    webhook_secret: request.webhook_secret ?? base.webhookSecret,
    signature: base.settings.signature,
    webhooks: [...webhooks, ...resolveInheritedWebhooks(base.webhooks, name)],
  }).map(({ path, message }) => {
    const isOwn = path.length === 1 || Number(path[1]) < webhooks.length;
    return [isOwn ? path.join(".") : "webhook_secret", message];
  });
  return faults.length === 0 ? undefined : refuseInvalid(Object.fromEntries(faults));
}

interface LeftOutNamespace {
  readonly reason: string;
  /** Empty if the keys cannot be read. */
  readonly apiKeys: readonly string[];
}

/** Stored namespaces that could not be opened. */
export class UnopenedNamespaces extends Map<string, LeftOutNamespace> {
  /** @returns the error to report */
  add(name: string, identity: NamespaceIdentity | undefined, cause: unknown): StoreError {
    const reason = errorText(cause).replace(/\.?$/, ".");
    this.set(name, { reason, apiKeys: identity === undefined ? [] : apiKeysOf(name, identity) });
    return new StoreError(`The namespace "${name}" was skipped. ${reason}`, { cause });
  }

  findByKey(apiKey: string): string | undefined {
    for (const [name, { apiKeys }] of this) if (apiKeys.includes(apiKey)) return name;
    return undefined;
  }

  refusalOf(name: string): Refusal | undefined {
    const entry = this.get(name);
    if (entry === undefined) return undefined;
    const message = `The namespace "${name}" could not be opened: ${entry.reason} Repair its files and call PUT /_sandbox/namespaces/${name} to open it, or DELETE to remove it.`;
    return refuse("INTERNAL_ERROR", message);
  }
}
