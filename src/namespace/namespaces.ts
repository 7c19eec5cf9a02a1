import { type NamespaceIdentity, namespaceNameSchema } from "../schema/control.js";
import { invalid, isRefusal, type Refusal, refuse } from "../schema/errors.js";
import { check } from "../schema/issues.js";
import { clockSetting } from "../schema/options.js";
import { parseInstant } from "../schema/time.js";
import { secretFaults } from "../schema/webhooks.js";
import { OutOfHandles, StoreError } from "../store/error.js";
import type { Storage } from "../store/storage.js";
import type { ClockView } from "../time/clock-control.js";
import { Namespace } from "./namespace.js";
import type { NamespaceOptions, WebhookOption } from "./options.js";
import type { ScenarioKit } from "./scenario-kit.js";

export const DEFAULT_NAMESPACE = "default";
const AUTO_KEY = /^sk_(?:test|live)_ns_(.*)$/s;
/** Made by key alone, namespaces could otherwise be made without end. */
const NAMESPACE_LIMIT = 10_000;

export interface NamespacesOptions {
  /** What every namespace is made with, unless it is told otherwise; the webhooks are the default one's. */
  readonly base: Omit<NamespaceOptions, "name" | "store" | "snapshots">;
  readonly autoNamespaces: boolean;
  readonly scenarios: ScenarioKit;
  /** Where a namespace keeps its state, and those kept by an earlier run. */
  readonly storage: Storage;
}

/** What a namespace is made with; all of it may be left out. */
export interface NewNamespace {
  readonly name?: string | undefined;
  readonly seed?: string | undefined;
  readonly clock?: string | undefined;
  readonly start_time?: string | undefined;
  readonly api_key?: string | undefined;
  readonly webhook_secret?: string | undefined;
  readonly webhooks?: readonly WebhookOption[] | undefined;
}

export interface NamespaceView {
  readonly name: string;
  readonly api_key: string;
  readonly live_api_key: string;
  readonly webhook_secret: string;
  readonly seed: string;
  readonly clock: ClockView;
  readonly charges: number;
}

/** A namespace that an earlier run kept and this one could not open. */
interface LeftOut {
  readonly reason: string;
  /** Undefined when that cannot be read either. */
  readonly apiKey: string | undefined;
}

/** All namespaces of a server: which one a request means, and how they come and go. */
export class Namespaces {
  readonly version: string;
  /** Reads and runs scenarios in any of them. */
  readonly scenarios: ScenarioKit;
  readonly default: Namespace;
  readonly #options: NamespacesOptions;
  readonly #namespaces = new Map<string, Namespace>();
  readonly #byKey = new Map<string, Namespace>();
  readonly #leftOut = new Map<string, LeftOut>();
  #made = 0;

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.version = options.base.version;
    this.scenarios = options.scenarios;
    this.default = this.#open(DEFAULT_NAMESPACE, {}, options.base.startMs);
    try {
      for (const name of options.storage.recover()) this.#reopen(name);
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

  /** The default namespace's time, for answers that concern none. */
  nowMs(): number {
    return this.default.nowMs();
  }

  /** By the `Sandbox-Namespace` header, else by the API key, else the default one. */
  find(header: string | null, apiKey: string | null): Namespace | undefined {
    if (header !== null) return this.#namespaces.get(header);
    if (apiKey === null) return this.default;
    const known = this.#byKey.get(apiKey) ?? this.#auto(apiKey);
    if (known !== undefined) return known;
    return this.#leftOutBy(apiKey) === undefined ? this.default : undefined;
  }

  /** What to answer where `find` found none: there is none, or it could not be opened. */
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
  #auto(apiKey: string): Namespace | undefined {
    if (!this.#options.autoNamespaces || this.#namespaces.size >= NAMESPACE_LIMIT) return undefined;
    const name = AUTO_KEY.exec(apiKey)?.[1];
    if (name === undefined || !check(namespaceNameSchema, name).ok) return undefined;
    if (this.#namespaces.has(name) || this.#leftOut.has(name)) return undefined;
    const made = this.#make(name, {});
    if (isRefusal(made)) throw new StoreError(made.message);
    return made;
  }

  /** The namespace a checkout is in: no id comes twice, and whoever follows a link names no namespace. */
  findCheckout(checkoutId: string): { readonly namespace: Namespace } | undefined {
    for (const namespace of this.#namespaces.values())
      if (namespace.engine.state.chargeOfCheckout(checkoutId) !== undefined) return { namespace };
    return undefined;
  }

  list(): NamespaceView[] {
    return [...this.#namespaces.values()].reverse().map(viewOf);
  }

  /** A new namespace; a taken name or key is refused. */
  create(wanted: NewNamespace): NamespaceView | Refusal {
    const name = wanted.name ?? this.#freeName();
    if (this.#namespaces.has(name))
      return refuse("NAMESPACE_EXISTS", `There is a namespace "${name}" already`);
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
  #make(name: string, wanted: NewNamespace): Namespace | Refusal {
    const { base, storage } = this.#options;
    const startMs = wanted.start_time === undefined ? base.startMs : parseInstant(wanted.start_time);
    storage.begin(name, wanted);
    let namespace: Namespace | undefined;
    try {
      namespace = this.#open(name, wanted, startMs);
      storage.finish(name);
      return namespace;
    } catch (error) {
      if (namespace !== undefined) this.#drop(namespace);
      storage.undo(name);
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
    const known = this.#namespaces.get(name);
    return known === undefined ? this.create({ ...wanted, name }) : viewOf(known);
  }

  /** Somebody may have mended the files of one that was left out. */
  #tryAgain(name: string): void {
    this.#leftOut.delete(name);
    this.#reopen(name);
  }

  delete(name: string): Refusal | undefined {
    const namespace = this.#namespaces.get(name);
    if (namespace === this.default) return refuse("FORBIDDEN", "The default namespace stays");
    if (namespace === undefined && !this.#leftOut.has(name))
      return refuse("NOT_FOUND", `There is no namespace "${name}"`);
    this.#options.storage.remove(name, namespace && (() => this.#drop(namespace)));
    this.#leftOut.delete(name);
    return undefined;
  }

  #drop(namespace: Namespace): void {
    this.#namespaces.delete(namespace.name);
    for (const key of keysOf(namespace.info.apiKey)) this.#byKey.delete(key);
    namespace.discard();
  }

  #freeName(): string {
    let name: string;
    do name = `ns${++this.#made}`;
    while (this.#namespaces.has(name) || this.#leftOut.has(name));
    return name;
  }

  #open(name: string, wanted: NewNamespace, startMs: number | undefined): Namespace {
    const { base, storage } = this.#options;
    const isDefault = name === DEFAULT_NAMESPACE;
    const [apiKey, liveApiKey] = isDefault ? [base.apiKey, base.liveApiKey] : keysOf(apiKeyOf(name, wanted));
    const store = storage.open(name);
    let namespace: Namespace;
    try {
      namespace = new Namespace({
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
        snapshots: () => storage.snapshots(name),
      });
    } catch (error) {
      // The lock and the file handles it may have taken by then are given back.
      store.close();
      throw error;
    }
    this.#namespaces.set(name, namespace);
    if (!isDefault) for (const key of [apiKey, liveApiKey]) this.#byKey.set(key, namespace);
    return namespace;
  }

  /** Each is closed, whatever the disk says of another. */
  close(): void {
    const failures: unknown[] = [];
    for (const namespace of this.#namespaces.values()) {
      try {
        namespace.close();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#namespaces.clear();
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

function viewOf(namespace: Namespace): NamespaceView {
  const { apiKey, liveApiKey, webhookSecret, seed } = namespace.info;
  return {
    name: namespace.name,
    api_key: apiKey,
    live_api_key: liveApiKey,
    webhook_secret: webhookSecret,
    seed,
    clock: namespace.clock.view(),
    charges: namespace.engine.state.tables.charges.size,
  };
}
