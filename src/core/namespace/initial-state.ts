import { registerEndpoint } from "../engine/commands/endpoint-commands.js";
import { copyEndpoint } from "../engine/commands/namespace-setup.js";
import { storeScenario } from "../engine/commands/scenario-commands.js";
import { Engine } from "../engine/engine.js";
import type { State } from "../engine/state.js";
import type { Command } from "../engine/transaction.js";
import type { ResetRequest } from "../schema/engine-requests.js";
import type { ClockSetting, WebhookOption } from "../schema/option-schemas.js";
import { isRefusal, SandboxError } from "../schema/refusals.js";
import { secretErrorMessage } from "../schema/signature-schemes.js";
import { iso } from "../schema/time.js";
import { UserError } from "../schema/user-error.js";
import type { StoredOrigin } from "../store/storage.js";
import { Clock } from "../time/clock.js";
import type { NamespaceOptions } from "./namespace-options.js";
import type { NamespaceEmitter } from "./request-journal.js";

const REAL_CLOCK: ClockSetting = { mode: "real", speed: 1 };

/** Opens the engine and clock of a namespace: from stored data, or new. */
export function openEngineAndClock(
  options: NamespaceOptions,
  events: NamespaceEmitter,
): { engine: Engine; clock: Clock } {
  const { wall, startMs } = options;
  const onSetBack = (byMs: number): void =>
    options.onNotice?.(
      `the clock of this machine was set back by ${Math.round(byMs / 1_000)} s; sandbox time goes on`,
    );
  const engine = new Engine({
    name: options.name,
    seed: options.seed ?? options.defaultSeed,
    startMs: startMs ?? wall.nowMs(),
    isStartExplicit: startMs !== undefined,
    catalogue: options.catalogue,
    settings: options.settings,
    store: options.store,
    audit: options.audit,
    setUp: initialContent(options),
    totalRuleCounts: options.totalRuleCounts,
    memory: options.memory,
    events,
    onError: options.onError,
  });
  const { state, namespace } = engine;
  try {
    if (options.acceptsOrigin !== true) requireSameOrigin(options, namespace);
  } catch (error) {
    engine.close();
    throw error;
  }
  const clockRecord = state.get("clock", "clock");
  if (clockRecord === undefined)
    return {
      engine,
      clock: new Clock(wall, options.clock ?? REAL_CLOCK, Math.max(namespace.start_ms, state.at), onSetBack),
    };
  const clock = Clock.resume(wall, clockRecord, state.at, onSetBack);
  if (options.clock !== undefined) clock.set(clock.nowMs(), options.clock);
  // Adds the options' endpoints and scenarios at the stored time. Tasks that fell due since the stored time run later,
  // each at its due time.
  engine.execute(initialContent(options), state.at);
  return { engine, clock };
}

/** @throws UserError if the seed or start time of the options contradicts the stored data */
export function requireSameOrigin(
  { seed, startMs }: Pick<NamespaceOptions, "seed" | "startMs">,
  stored: StoredOrigin,
): void {
  const fix = "leave it out, or use another file or schema";
  if (seed !== undefined && seed !== stored.seed)
    throw new UserError(`--seed ${seed} contradicts the data, whose seed is "${stored.seed}"; ${fix}`);
  const { start_ms, asked_start_ms } = stored;
  if (startMs !== undefined && start_ms !== undefined && startMs !== (asked_start_ms ?? start_ms))
    throw new UserError(`--start-time contradicts the data, which starts at ${iso(start_ms)}; ${fix}`);
}

function initialContent(options: NamespaceOptions): Command<void> {
  return (tx) => {
    addScenarios(options)(tx);
    addEndpoints(options)(tx);
  };
}

/** Adds the options' scenarios and what the reset keeps; the options' endpoints if it keeps none. */
export function addContentAfterReset(
  options: NamespaceOptions,
  before: State,
  keep: ResetRequest["keep"] = ["webhooks", "keys"],
): Command<void> {
  const endpoints = keep.includes("webhooks") ? before.endpoints() : undefined;
  const scenarios = keep.includes("scenarios") ? [...before.tables.scenarios.values()] : [];
  const keys = keep.includes("keys") ? [...before.tables.keys.values()] : [];
  return (tx) => {
    addScenarios(options)(tx);
    for (const stored of scenarios) {
      tx.put("scenarios", stored.name, { ...stored, since_ms: tx.atMs });
      tx.next("activation");
    }
    for (const changed of keys) tx.put("keys", changed.key, changed);
    if (endpoints === undefined) addEndpoints(options)(tx);
    else for (const endpoint of endpoints) copyEndpoint(endpoint)(tx);
  };
}

/** Adds the options' scenarios. Keeps a scenario that the user stored under the name of a built-in scenario. */
function addScenarios({ scenarios, fileScenarios, activeScenarios }: NamespaceOptions): Command<void> {
  return (tx) => {
    for (const scenario of scenarios) {
      const { name } = scenario;
      const stored = tx.get("scenarios", name);
      const userScenario =
        stored?.by_hand === true && !fileScenarios.includes(name) ? stored.scenario : undefined;
      const active = activeScenarios.includes(name);
      const byHand = userScenario !== undefined;
      const added = storeScenario(userScenario ?? scenario, { active, byHand })(tx);
      if (isRefusal(added)) throw new SandboxError(added, name);
    }
  };
}

function addEndpoints({ webhooks, webhookSecret }: NamespaceOptions): Command<void> {
  return (tx) => {
    for (const webhook of webhooks) registerWebhook(webhook, webhookSecret)(tx);
  };
}

/**
 * Secret and signature each default to those of the namespace. A stored signature is not kept, because it may not fit
 * the secret after a restart with other options.
 *
 * @param secret used if the webhook has no secret
 */
export function registerWebhook(webhook: WebhookOption, secret: string): Command<unknown> {
  return (tx) => {
    const signing = {
      secret: webhook.secret ?? secret,
      signature: webhook.signature ?? tx.settings.signature,
    };
    const fault = secretErrorMessage(signing.signature, signing.secret);
    if (fault !== undefined)
      throw new UserError(
        `The secret of ${webhook.url ?? `the mailbox ${webhook.mailbox}`} ${fault}; give it another secret or signature`,
      );
    const endpoint = registerEndpoint({
      ...signing,
      url: webhook.url ?? null,
      mailbox: webhook.mailbox ?? null,
      unreachable: webhook.unreachable,
      mode: webhook.mode ?? "test",
      organizationId: null,
      events: webhook.events ?? ["*"],
    })(tx);
    if (isRefusal(endpoint)) throw new SandboxError(endpoint);
    return endpoint;
  };
}
