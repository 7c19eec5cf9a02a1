import type { NamespaceView, NewNamespace, ScenarioRun, World, Worlds } from "./http/ports.js";
import type { LoadedScenario } from "./runtime/scenario-files.js";
import type { RunReport } from "./runtime/steps/report.js";
import { repeatableRunId } from "./runtime/steps/run-id.js";
import { invalid, isRefusal, type Refusal, refuse } from "./schema/errors.js";
import { lazily } from "./schema/lazily.js";
import { clockSetting } from "./schema/options.js";
import type { Scenario } from "./schema/scenario.js";
import { parseInstant } from "./schema/time.js";
import { secretFaults } from "./schema/webhooks.js";
import { LocalWorld, type WebhookOption, type WorldOptions } from "./world.js";

export const DEFAULT_NAMESPACE = "default";
const AUTO_KEY = /^sk_(test|live)_ns_([A-Za-z0-9][A-Za-z0-9_-]{0,62})$/;
/** Made by key alone, namespaces could otherwise be made without end. */
const NAMESPACE_LIMIT = 10_000;

export interface HostOptions {
  /** What every namespace is made with, unless it is told otherwise; the webhooks are the default one's. */
  readonly base: Omit<WorldOptions, "name" | "store" | "snapshotFolder">;
  readonly autoNamespaces: boolean;
  /** Where a namespace keeps its state, and those kept by an earlier run. */
  readonly storage: NamespaceStorage;
}

/** What is a namespace's own and no part of its state: a state may be imported into another. */
export type NamespaceIdentity = Pick<NewNamespace, "api_key" | "webhook_secret" | "clock">;

export interface NamespaceStorage {
  open(name: string): WorldOptions["store"];
  /**
   * Clears away what a killed run left half done, and tells the names of those an earlier run kept. To be called
   * when the default namespace is open: its lock stands for them all.
   */
  recover(): string[];
  /** Where a namespace keeps its snapshots; undefined keeps them in memory. */
  snapshotFolder(name: string): string | undefined;
  /** What a namespace was made with, for the next run to make it with again. */
  keep(name: string, identity: NamespaceIdentity): void;
  kept(name: string): NamespaceIdentity;
  remove(name: string): void;
}

/** All namespaces of a server: which one a request means, and how they come and go. */
export class Host implements Worlds {
  readonly version: string;
  readonly default: LocalWorld;
  readonly #options: HostOptions;
  readonly #worlds = new Map<string, LocalWorld>();
  readonly #byKey = new Map<string, LocalWorld>();
  #made = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    this.version = options.base.version;
    this.default = this.#open(DEFAULT_NAMESPACE, {});
    for (const name of options.storage.recover()) this.#open(name, options.storage.kept(name));
  }

  nowMs(): number {
    return this.default.nowMs();
  }

  find(header: string | null, apiKey: string | null): LocalWorld | undefined {
    if (header !== null) return this.#worlds.get(header);
    if (apiKey === null) return this.default;
    return this.#byKey.get(apiKey) ?? this.#auto(apiKey) ?? this.default;
  }

  /** With `--auto-namespaces` a key that names a namespace makes it on first use. */
  #auto(apiKey: string): LocalWorld | undefined {
    if (!this.#options.autoNamespaces || this.#worlds.size >= NAMESPACE_LIMIT) return undefined;
    const name = AUTO_KEY.exec(apiKey)?.[2];
    return name === undefined || this.#worlds.has(name) ? undefined : this.#open(name, {});
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
    if (
      wanted.api_key !== undefined &&
      (this.#byKey.has(wanted.api_key) || this.default.findKey(wanted.api_key))
    )
      return refuse("NAMESPACE_EXISTS", "The API key belongs to another namespace");
    const refusal = this.#unusableSecrets(name, wanted);
    if (refusal !== undefined) return refusal;
    this.#options.storage.keep(name, wanted);
    return viewOf(this.#open(name, wanted));
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
    const known = this.#worlds.get(name);
    return known === undefined ? this.create({ ...wanted, name }) : viewOf(known);
  }

  delete(name: string): Refusal | undefined {
    const world = this.#worlds.get(name);
    if (world === undefined) return refuse("NOT_FOUND", `There is no namespace "${name}"`);
    if (world === this.default) return refuse("FORBIDDEN", "The default namespace stays");
    this.#worlds.delete(name);
    for (const key of [world.info.apiKey, world.info.liveApiKey]) this.#byKey.delete(key);
    world.close();
    this.#options.storage.remove(name);
    return undefined;
  }

  #freeName(): string {
    let name: string;
    do name = `ns${++this.#made}`;
    while (this.#worlds.has(name));
    return name;
  }

  #open(name: string, wanted: NewNamespace): LocalWorld {
    const { base, storage } = this.#options;
    const isDefault = name === DEFAULT_NAMESPACE;
    const apiKey = isDefault ? base.apiKey : (wanted.api_key ?? `sk_test_ns_${name}`);
    const world = new LocalWorld({
      ...base,
      name,
      ...(isDefault
        ? {}
        : {
            seed: wanted.seed,
            defaultSeed: this.default.info.seed,
            startMs: wanted.start_time === undefined ? base.startMs : parseInstant(wanted.start_time),
          }),
      clock: wanted.clock === undefined ? base.clock : clockSetting(wanted.clock),
      webhookSecret: wanted.webhook_secret ?? base.webhookSecret,
      webhooks: [...inherited(base.webhooks, name), ...(wanted.webhooks ?? [])],
      apiKey,
      liveApiKey: isDefault ? base.liveApiKey : apiKey.replace("sk_test_", "sk_live_"),
      store: storage.open(name),
      snapshotFolder: storage.snapshotFolder(name),
    });
    this.#worlds.set(name, world);
    if (!isDefault) for (const key of [world.info.apiKey, world.info.liveApiKey]) this.#byKey.set(key, world);
    return world;
  }

  close(): void {
    for (const world of this.#worlds.values()) world.close();
    this.#worlds.clear();
    this.#byKey.clear();
  }
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
