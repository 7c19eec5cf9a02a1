import type { NamespaceView, NewNamespace, ScenarioRun, World, Worlds } from "./http/ports.js";
import type { LoadedScenario } from "./runtime/scenario-files.js";
import type { RunReport } from "./runtime/steps/report.js";
import { repeatableRunId } from "./runtime/steps/run-id.js";
import { OutOfHandles, StoreError } from "./runtime/store/error.js";
import type { NamespaceStorage } from "./runtime/store/namespaces.js";
import { type NamespaceIdentity, namespaceNameSchema } from "./schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "./schema/errors.js";
import { check } from "./schema/issues.js";
import { lazily } from "./schema/lazily.js";
import { clockSetting } from "./schema/options.js";
import type { Scenario } from "./schema/scenario.js";
import { parseInstant } from "./schema/time.js";
import { secretFaults } from "./schema/webhooks.js";
import { LocalWorld, type WebhookOption, type WorldOptions } from "./world.js";

export const DEFAULT_NAMESPACE = "default";
const AUTO_KEY = /^sk_(?:test|live)_ns_(.*)$/s;
/** Made by key alone, namespaces could otherwise be made without end. */
const NAMESPACE_LIMIT = 10_000;

export interface HostOptions {
  /** What every namespace is made with, unless it is told otherwise; the webhooks are the default one's. */
  readonly base: Omit<WorldOptions, "name" | "store" | "snapshots">;
  readonly autoNamespaces: boolean;
  /** Where a namespace keeps its state, and those kept by an earlier run. */
  readonly storage: NamespaceStorage;
}

/** A namespace that an earlier run kept and this one could not open. */
interface LeftOut {
  readonly reason: string;
  /** Undefined when that cannot be read either. */
  readonly apiKey: string | undefined;
}

/** All namespaces of a server: which one a request means, and how they come and go. */
export class Host implements Worlds {
  readonly version: string;
  readonly default: LocalWorld;
  readonly #options: HostOptions;
  readonly #worlds = new Map<string, LocalWorld>();
  readonly #byKey = new Map<string, LocalWorld>();
  readonly #leftOut = new Map<string, LeftOut>();
  #made = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    this.version = options.base.version;
    this.default = this.#open(DEFAULT_NAMESPACE, {}, options.base.startMs);
    try {
      for (const name of options.storage.recover(options.base.onError)) this.#reopen(name);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** One that cannot be opened does not keep the others from their work. */
  #reopen(name: string): void {
    const { base, storage } = this.#options;
    let identity: NamespaceIdentity | undefined;
    try {
      identity = storage.identity(name);
      this.#open(name, identity, undefined);
    } catch (error) {
      if (error instanceof OutOfHandles) throw error;
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\.?$/, ".");
      this.#leftOut.set(name, { reason, apiKey: identity && apiKeyOf(name, identity) });
      base.onError(new StoreError(`The namespace "${name}" is left out. ${reason}`, { cause: error }));
    }
  }

  nowMs(): number {
    return this.default.nowMs();
  }

  find(header: string | null, apiKey: string | null): LocalWorld | undefined {
    if (header !== null) return this.#worlds.get(header);
    if (apiKey === null) return this.default;
    const known = this.#byKey.get(apiKey) ?? this.#auto(apiKey);
    if (known !== undefined) return known;
    return this.#leftOutBy(apiKey) === undefined ? this.default : undefined;
  }

  whyNone(header: string | null, apiKey: string | null): Refusal {
    const name = header ?? this.#leftOutBy(apiKey ?? "") ?? "";
    return this.#unusable(name) ?? refuse("NOT_FOUND", `There is no namespace "${name}"`);
  }

  #leftOutBy(apiKey: string): string | undefined {
    for (const [name, leftOut] of this.#leftOut)
      if (leftOut.apiKey !== undefined && keysOf(leftOut.apiKey).includes(apiKey)) return name;
    return undefined;
  }

  /** What there is to say of one that was left out, to whoever asks for it. */
  #unusable(name: string): Refusal | undefined {
    const leftOut = this.#leftOut.get(name);
    if (leftOut === undefined) return undefined;
    const message = `The namespace "${name}" could not be opened: ${leftOut.reason} When its files are as they should be, PUT /_sandbox/namespaces/${name} opens it; DELETE gives it up.`;
    return refuse("INTERNAL_ERROR", message);
  }

  /** With `--auto-namespaces` a key that names a namespace makes it on first use. */
  #auto(apiKey: string): LocalWorld | undefined {
    if (!this.#options.autoNamespaces || this.#worlds.size >= NAMESPACE_LIMIT) return undefined;
    const name = AUTO_KEY.exec(apiKey)?.[1];
    if (name === undefined || !check(namespaceNameSchema, name).ok) return undefined;
    if (this.#worlds.has(name) || this.#leftOut.has(name)) return undefined;
    const made = this.#make(name, {});
    if (isRefusal(made)) throw new StoreError(made.message);
    return made;
  }

  findCheckout(checkoutId: string): { readonly world: World } | undefined {
    for (const world of this.#worlds.values())
      if (world.engine.state.chargeOfCheckout(checkoutId) !== undefined) return { world };
    return undefined;
  }

  /** A run of that scenario has an id of its own, which follows from the seed and how many there were before. */
  runIdOf(world: World, scenario: string): string {
    return repeatableRunId(world.info.seed, scenario, world.nextRun());
  }

  async readScenario(world: World, source: Readonly<Record<string, unknown>>): Promise<Scenario | Refusal> {
    const loaded = await this.#load(world, source, {});
    return isRefusal(loaded) ? loaded : loaded.scenario;
  }

  async runScenario(world: World, { source, vars, app, fetch }: ScenarioRun): Promise<RunReport | Refusal> {
    const loaded = await this.#load(world, source, vars);
    if (isRefusal(loaded)) return loaded;
    const { runScenario } = await lazily(() => import("./runtime/steps/run.js"));
    return runScenario(loaded, {
      namespace: world.name,
      app: app?.replace(/\/+$/, ""),
      fetch: (path, init) => fetch(new Request(`http://sandbox${path}`, init)),
    });
  }

  async #load(
    world: World,
    source: Readonly<Record<string, unknown>>,
    given: Readonly<Record<string, string>>,
  ): Promise<LoadedScenario | Refusal> {
    const { loadScenario } = await lazily(() => import("./runtime/scenario-files.js"));
    const { DocumentError, valueDocument } = await lazily(() => import("./runtime/documents.js"));
    try {
      const runIdOf = (name: string) => this.runIdOf(world, name);
      return loadScenario(valueDocument(source), { given, runIdOf });
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return invalid(
        Object.fromEntries(error.faults.map(({ field, message }) => [field || "body", message])),
      );
    }
  }

  list(): NamespaceView[] {
    return [...this.#worlds.values()].reverse().map(viewOf);
  }

  /** A new namespace; a taken name or key is refused. */
  create(wanted: NewNamespace): NamespaceView | Refusal {
    const name = wanted.name ?? this.#freeName();
    if (this.#worlds.has(name)) return refuse("NAMESPACE_EXISTS", `There is a namespace "${name}" already`);
    const unusable = this.#unusable(name);
    if (unusable !== undefined) return unusable;
    if (
      wanted.api_key !== undefined &&
      (this.#byKey.has(wanted.api_key) ||
        this.#leftOutBy(wanted.api_key) !== undefined ||
        this.default.findKey(wanted.api_key))
    )
      return refuse("NAMESPACE_EXISTS", "The API key belongs to another namespace");
    const refusal = this.#unusableSecrets(name, wanted);
    if (refusal !== undefined) return refusal;
    const made = this.#make(name, wanted);
    return isRefusal(made) ? made : viewOf(made);
  }

  /** It is there with all it has, or there is nothing of it: not for this run, nor for the next. */
  #make(name: string, wanted: NewNamespace): LocalWorld | Refusal {
    const { base, storage } = this.#options;
    const startMs = wanted.start_time === undefined ? base.startMs : parseInstant(wanted.start_time);
    storage.begin(name, wanted);
    let world: LocalWorld | undefined;
    try {
      world = this.#open(name, wanted, startMs);
      storage.finish(name);
      return world;
    } catch (error) {
      if (world !== undefined) this.#drop(world);
      storage.undo(name, base.onError);
      if (error instanceof OutOfHandles) return refuse("INTERNAL_ERROR", error.message);
      throw error;
    }
  }

  /** The rule of the start options; an endpoint that is every namespace's has to do with this one's secret too. */
  #unusableSecrets(name: string, wanted: NewNamespace): Refusal | undefined {
    const { base } = this.#options;
    const webhooks = wanted.webhooks ?? [];
    const faults = secretFaults({
      webhook_secret: wanted.webhook_secret ?? base.webhookSecret,
      signature: base.settings.signature,
      webhooks: [...webhooks, ...inherited(base.webhooks, name)],
    }).map(({ path, message }) => {
      const isOwn = path.length === 1 || Number(path[1]) < webhooks.length;
      return [isOwn ? path.join(".") : "webhook_secret", message];
    });
    return faults.length === 0 ? undefined : invalid(Object.fromEntries(faults));
  }

  /** The namespace of that name, made if there is none; what is there stays as it is. */
  ensure(name: string, wanted: NewNamespace): NamespaceView | Refusal {
    if (this.#leftOut.has(name)) this.#tryAgain(name);
    const known = this.#worlds.get(name);
    return known === undefined ? this.create({ ...wanted, name }) : viewOf(known);
  }

  /** Somebody may have mended the files of one that was left out. */
  #tryAgain(name: string): void {
    this.#leftOut.delete(name);
    this.#reopen(name);
  }

  delete(name: string): Refusal | undefined {
    const { base, storage } = this.#options;
    const world = this.#worlds.get(name);
    if (world === this.default) return refuse("FORBIDDEN", "The default namespace stays");
    if (world !== undefined) {
      storage.bury(name);
      this.#drop(world);
      storage.clear(name, base.onError);
      return undefined;
    }
    if (!this.#leftOut.has(name)) return refuse("NOT_FOUND", `There is no namespace "${name}"`);
    storage.removeClosed(name, base.onError);
    this.#leftOut.delete(name);
    return undefined;
  }

  #drop(world: LocalWorld): void {
    this.#worlds.delete(world.name);
    for (const key of keysOf(world.info.apiKey)) this.#byKey.delete(key);
    world.discard();
  }

  #freeName(): string {
    let name: string;
    do name = `ns${++this.#made}`;
    while (this.#worlds.has(name) || this.#leftOut.has(name));
    return name;
  }

  #open(name: string, wanted: NewNamespace, startMs: number | undefined): LocalWorld {
    const { base, storage } = this.#options;
    const isDefault = name === DEFAULT_NAMESPACE;
    const [apiKey, liveApiKey] = isDefault ? [base.apiKey, base.liveApiKey] : keysOf(apiKeyOf(name, wanted));
    const store = storage.open(name);
    let world: LocalWorld;
    try {
      world = new LocalWorld({
        ...base,
        name,
        ...(isDefault ? {} : { seed: wanted.seed, defaultSeed: this.default.info.seed }),
        startMs,
        clock: wanted.clock === undefined ? base.clock : clockSetting(wanted.clock),
        webhookSecret: wanted.webhook_secret ?? base.webhookSecret,
        webhooks: [...inherited(base.webhooks, name), ...(wanted.webhooks ?? [])],
        apiKey,
        liveApiKey,
        store,
        snapshots: () => storage.snapshots(name, base.onError),
      });
    } catch (error) {
      // The lock and the file handles it may have taken by then are given back.
      store.close();
      throw error;
    }
    this.#worlds.set(name, world);
    if (!isDefault) for (const key of [apiKey, liveApiKey]) this.#byKey.set(key, world);
    return world;
  }

  /** Each is closed, whatever the disk says of another. */
  close(): void {
    const failures: unknown[] = [];
    for (const world of this.#worlds.values()) {
      try {
        world.close();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#worlds.clear();
    this.#byKey.clear();
    if (failures.length > 0) throw failures[0];
  }
}

function apiKeyOf(name: string, { api_key }: NamespaceIdentity): string {
  return api_key ?? `sk_test_ns_${name}`;
}

/** Of test mode and of live mode. */
function keysOf(apiKey: string): [string, string] {
  return [apiKey, apiKey.replace("sk_test_", "sk_live_")];
}

/** A receiver whose address says `{namespace}` is each namespace's; any other is the default one's only. */
function inherited(webhooks: readonly WebhookOption[], name: string): WebhookOption[] {
  return webhooks.flatMap((webhook) => {
    const url = webhook.url?.replace(/\{namespace\}|%7Bnamespace%7D/gi, name);
    return url !== webhook.url || name === DEFAULT_NAMESPACE ? [{ ...webhook, url }] : [];
  });
}

function viewOf(world: LocalWorld): NamespaceView {
  const { apiKey, liveApiKey, webhookSecret, seed } = world.info;
  return {
    name: world.name,
    api_key: apiKey,
    live_api_key: liveApiKey,
    webhook_secret: webhookSecret,
    seed,
    clock: world.clock.view(),
    charges: world.engine.state.tables.charges.size,
  };
}
