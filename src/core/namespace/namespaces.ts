import type * as z from "zod/mini";
import type { NamespaceIdentity } from "../schema/control.js";
import type { namespaceSchema } from "../schema/control-responses.js";
import { invalid, isRefusal, type Refusal, refuse } from "../schema/errors.js";
import type { OnHappening } from "../schema/happening.js";
import { check } from "../schema/issues.js";
import { clockSetting, namespaceNameSchema } from "../schema/options.js";
import { parseInstant } from "../schema/time.js";
import { secretFaults } from "../schema/webhooks.js";
import { OutOfHandles, StoreError } from "../store/error.js";
import type { Storage } from "../store/storage.js";
import { AdviceLog } from "./advice/advisor.js";
import { Counters } from "./counters.js";
import { FailedTests } from "./failed-tests.js";
import { happeningsOf } from "./happenings.js";
import { HeapGuard } from "./heap-guard.js";
import { apiKeysOf, DEFAULT_NAMESPACE, inherited, type NewNamespace, nameInKey } from "./identity.js";
import { LeftOut } from "./left-out.js";
import { Namespace } from "./namespace.js";
import type { NamespaceOptions } from "./options.js";
import type { CheckReceiver } from "./receiver-check.js";
import type { ScenarioKit } from "./scenario-kit.js";

/** Made by key alone, namespaces could otherwise be made without end. */
const NAMESPACE_LIMIT = 10_000;

export interface NamespacesOptions {
  /** What every namespace is made with, unless it is told otherwise; the webhooks are the default one's. */
  readonly base: Omit<
    NamespaceOptions,
    "name" | "store" | "snapshots" | "advice" | "met" | "rulesInAll" | "room"
  >;
  readonly autoNamespaces: boolean;
  readonly scenarios: ScenarioKit;
  readonly checkReceiver: CheckReceiver;
  /** Where a namespace keeps its state, and those kept by an earlier run. */
  readonly storage: Storage;
  /** Hears of what happens in any of them. */
  readonly onHappening?: OnHappening | undefined;
}

type NamespaceView = z.infer<typeof namespaceSchema>;

/** All namespaces of a server: which one a request means, and how they come and go. */
export class Namespaces {
  readonly version: string;
  /** Reads and runs scenarios in any of them. */
  readonly scenarios: ScenarioKit;
  readonly checkReceiver: CheckReceiver;
  readonly default: Namespace;
  /** What was found in any of them since the start, in those reset or deleted since too. */
  readonly advice = new AdviceLog();
  /** What the app has met in any of them since the start. */
  readonly met = new Counters();
  readonly failedTests = new FailedTests();
  readonly #options: NamespacesOptions;
  readonly #namespaces = new Map<string, Namespace>();
  readonly #byKey = new Map<string, Namespace>();
  readonly #leftOut = new LeftOut();
  readonly #rulesInAll = new Map<string, number>();
  readonly #room: HeapGuard;
  #hasNoticedRealKey = false;
  #made = 0;

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#room = new HeapGuard(options.base.onError);
    this.version = options.base.version;
    this.scenarios = options.scenarios;
    this.checkReceiver = options.checkReceiver;
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
      base.onError(this.#leftOut.add(name, identity, error));
    }
  }

  /** Whether a key that names one makes it. */
  get areMadeByKey(): boolean {
    return this.#options.autoNamespaces;
  }

  /** Told once: an app that has one sends it with each call. The key itself is not told. */
  noticeRealKey(): void {
    if (this.#hasNoticedRealKey) return;
    this.#hasNoticedRealKey = true;
    this.#options.base.onNotice?.(
      "a call came with what looks like a real key of live mode: it is refused and not kept; use sk_live_sandbox",
    );
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
    return this.#leftOut.nameOf(apiKey) === undefined ? this.default : undefined;
  }

  /** What to answer where `find` found none: there is none, or it could not be opened. */
  whyNone(header: string | null, apiKey: string | null): Refusal {
    const name = header ?? this.#leftOut.nameOf(apiKey ?? "") ?? "";
    return this.#leftOut.refusalOf(name) ?? refuse("NOT_FOUND", `There is no namespace "${name}"`);
  }

  /** With `--auto-namespaces` a key that names a namespace makes it on first use. */
  #auto(apiKey: string): Namespace | undefined {
    if (!this.#options.autoNamespaces || this.#namespaces.size >= NAMESPACE_LIMIT) return undefined;
    const name = nameInKey(apiKey);
    if (name === undefined || !check(namespaceNameSchema, name).ok) return undefined;
    if (this.#namespaces.has(name) || this.#leftOut.has(name)) return undefined;
    const made = this.#make(name, {});
    if (isRefusal(made)) throw new StoreError(made.message);
    return made;
  }

  /** The namespace a checkout is in: no id comes twice, and whoever follows a link names no namespace. */
  findCheckout(checkoutId: string): Namespace | undefined {
    for (const namespace of this.#namespaces.values())
      if (namespace.engine.state.chargeOfCheckout(checkoutId) !== undefined) return namespace;
    return undefined;
  }

  /** As `Namespace.calm`, for what may look at any of them. */
  async calm(): Promise<void> {
    for (const namespace of this.#namespaces.values()) {
      const busy = namespace.calm();
      if (busy !== undefined) await busy;
    }
  }

  /** As `Namespace.whenKept`, of all. */
  async whenKept(): Promise<void> {
    for (const namespace of this.#namespaces.values()) {
      const keeping = namespace.whenKept();
      if (keeping !== undefined) await keeping;
    }
  }

  list(): NamespaceView[] {
    return [...this.#namespaces.values()].reverse().map(viewOf);
  }

  /** A new namespace; a taken name or key is refused. */
  create(wanted: NewNamespace): NamespaceView | Refusal {
    const name = wanted.name ?? this.#freeName();
    if (this.#namespaces.has(name))
      return refuse("NAMESPACE_EXISTS", `There is a namespace "${name}" already`);
    const unusable = this.#leftOut.refusalOf(name);
    if (unusable !== undefined) return unusable;
    if (
      wanted.api_key !== undefined &&
      (this.#byKey.has(wanted.api_key) ||
        this.#leftOut.nameOf(wanted.api_key) !== undefined ||
        this.default.keys.has(wanted.api_key))
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
    // Somebody may have mended its files.
    if (this.#leftOut.delete(name)) this.#reopen(name);
    const known = this.#namespaces.get(name);
    return known === undefined ? this.create({ ...wanted, name }) : viewOf(known);
  }

  delete(name: string): Refusal | undefined {
    const namespace = this.#namespaces.get(name);
    if (namespace === this.default) return refuse("FORBIDDEN", "The default namespace cannot be deleted");
    if (namespace === undefined && !this.#leftOut.has(name))
      return refuse("NOT_FOUND", `There is no namespace "${name}"`);
    this.#options.storage.remove(name, namespace && (() => this.#drop(namespace)));
    this.#leftOut.delete(name);
    return undefined;
  }

  #drop(namespace: Namespace): void {
    this.#namespaces.delete(namespace.name);
    const { apiKey, liveApiKey } = namespace.info;
    for (const key of [apiKey, liveApiKey]) this.#byKey.delete(key);
    namespace.discard();
  }

  #freeName(): string {
    let name: string;
    do name = `ns${++this.#made}`;
    while (this.#namespaces.has(name) || this.#leftOut.has(name));
    return name;
  }

  #open(name: string, wanted: NewNamespace, startMs: number | undefined): Namespace {
    const { base, storage, onHappening } = this.#options;
    const isDefault = name === DEFAULT_NAMESPACE;
    const [apiKey, liveApiKey] = isDefault ? [base.apiKey, base.liveApiKey] : apiKeysOf(name, wanted);
    const store = storage.open(name);
    let namespace: Namespace;
    try {
      namespace = new Namespace({
        ...base,
        advice: this.advice,
        met: this.met,
        name,
        rulesInAll: this.#rulesInAll,
        room: this.#room,
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
    if (onHappening !== undefined) namespace.subscribe(happeningsOf(namespace, onHappening));
    this.#namespaces.set(name, namespace);
    if (!isDefault) for (const key of [apiKey, liveApiKey]) this.#byKey.set(key, namespace);
    return namespace;
  }

  /** Each is closed, whatever the disk says of another. */
  close(): void {
    this.#room.close();
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
