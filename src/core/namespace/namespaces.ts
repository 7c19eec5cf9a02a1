import { getHeapStatistics } from "node:v8";
import type * as z from "zod/mini";
import { MemoryMeter } from "../engine/memory-meter.js";
import type { OnActivity } from "../schema/activity-events.js";
import type { NamespaceIdentity } from "../schema/control-requests.js";
import type { namespaceSchema } from "../schema/control-responses.js";
import { safeParse } from "../schema/issues.js";
import { DEFAULT_NAMESPACE, namespaceNameSchema, parseClockSetting } from "../schema/option-schemas.js";
import { isRefusal, type Refusal, refuse, StorageUnavailableError } from "../schema/refusals.js";
import { parseInstant } from "../schema/time.js";
import type { NamespaceLocation, Ownership, Storage } from "../store/storage.js";
import { OutOfHandlesError, StoreError } from "../store/store-error.js";
import { reportActivity } from "./activity-observer.js";
import { type Advice, findAdvice, sumAdvice } from "./advice.js";
import { CoverageCounters } from "./counters.js";
import { FailedTestLog } from "./failed-test-log.js";
import { requireSameOrigin } from "./initial-state.js";
import type { ScenarioRunner } from "./injected-tools.js";
import { Namespace, type NamespaceInfo } from "./namespace.js";
import { NamespaceIndex } from "./namespace-index.js";
import {
  apiKeysOf,
  type CreateNamespaceRequest,
  type NamespaceDefaults,
  namespaceInKey,
  refuseInvalidSecrets,
  resolveInheritedWebhooks,
} from "./namespace-options.js";

/** The rest of the heap is for calls under way, and for what the estimates leave out. */
const HEAP_SHARE = 0.6;

/** With this many namespaces, an unknown API key creates no further namespace. */
const NAMESPACE_LIMIT = 10_000;

export interface NamespacesOptions {
  /** Defaults of every namespace. `resolveInheritedWebhooks` decides which webhooks other namespaces get. */
  readonly base: NamespaceDefaults;
  /** True if an API key that names an unknown namespace creates that namespace. */
  readonly autoNamespaces: boolean;
  readonly scenarios: ScenarioRunner;
  readonly storage: Storage;
  readonly onActivity?: OnActivity | undefined;
}

type NamespaceView = z.infer<typeof namespaceSchema>;

/** All namespaces of a server. Finds the namespace of a request; creates and deletes namespaces. */
export class Namespaces {
  readonly ownership: Ownership | undefined;
  /** Wall time of the start. */
  readonly startedMs: number;
  /** Counts since the start, including those of reset or deleted namespaces. */
  readonly totalCounters = new CoverageCounters();
  readonly failedTests = new FailedTestLog();
  readonly #index: NamespaceIndex;
  readonly #rulesInAll = new Map<string, number>();
  readonly #memory: MemoryMeter;
  /** Advice on what was removed by resets and with deleted namespaces. */
  #pastAdvice: Advice[] = [];
  #hasNoticedRealKey = false;

  constructor(readonly options: NamespacesOptions) {
    this.#index = new NamespaceIndex(options.base);
    this.ownership = options.storage.ownership;
    this.startedMs = options.base.wall.nowMs();
    const { bytes = Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE) } =
      options.base.settings.limits;
    this.#memory = new MemoryMeter(bytes);
    try {
      if (this.ownership !== undefined) requireSameOrigin(options.base, this.ownership.defaultOrigin);
      if (this.ownership?.owns(DEFAULT_NAMESPACE) ?? true) this.#openStored(DEFAULT_NAMESPACE);
      for (const name of options.storage.recover()) this.#openStored(name);
    } catch (error) {
      this.close();
      void this.ownership?.release();
      throw error;
    }
    if (this.ownership !== undefined) this.ownership.events = this;
  }

  /** @throws StoreError if another process runs the default namespace */
  get default(): Namespace {
    if (this.#index.default === undefined)
      throw new StoreError("Another process runs the default namespace.");
    return this.#index.default;
  }

  get count(): number {
    return this.#index.size;
  }

  /** Keys, secret and seed of the default namespace, even if another process runs it. */
  get defaultInfo(): NamespaceInfo {
    return (
      this.#index.default?.info ?? {
        ...this.options.base,
        seed: this.options.base.seed ?? this.options.base.defaultSeed,
      }
    );
  }

  /** Opens a namespace that this process has taken over. */
  open(name: string): void {
    if (!this.#index.isNameTaken(name)) this.#openStored(name);
  }

  /** With several processes: returns true if this process runs the call's namespace, so the call needs no `locate`. */
  isRunByThisProcess(header: unknown, apiKey: string | null): boolean {
    const ownership = this.ownership!;
    const name = typeof header === "string" ? header : this.#index.nameOfKey(apiKey);
    return (
      name !== undefined &&
      ownership.owns(name) &&
      !ownership.isStorageUnreachable &&
      this.#index.get(name) !== undefined
    );
  }

  /** With several processes: finds the process that runs a call's namespace. Takes over or creates the namespace if necessary. */
  async locate(header: string | null, apiKey: string | null): Promise<NamespaceLocation> {
    const ownership = this.ownership!;
    // The database refuses a name with NUL.
    if (header !== null && !safeParse(namespaceNameSchema, header).ok) return "nowhere";
    let name = header ?? this.#index.nameOfKey(apiKey);
    name ??= await ownership.nameOfKey(apiKey!, namespaceInKey(apiKey!));
    name ??= this.#nameCreatedBy(apiKey!) ?? DEFAULT_NAMESPACE;
    const location = await ownership.locate(name);
    if (location === "here") this.open(name);
    if (location !== "nowhere" || header !== null) return location;
    const created = await this.create({ name });
    if (isRefusal(created) && created.code !== "NAMESPACE_EXISTS") throw new StoreError(created.message);
    return this.locate(name, null);
  }

  /** Opens a stored namespace. After an error, reports the error and skips the namespace, unless the error is fatal. */
  #openStored(name: string): void {
    const { base, storage } = this.options;
    const isDefault = name === DEFAULT_NAMESPACE;
    let identity: NamespaceIdentity | undefined;
    try {
      identity = isDefault ? {} : storage.identity(name);
      this.#open(name, identity, isDefault ? base.startMs : undefined);
    } catch (error) {
      const isFatal = isDefault && this.ownership === undefined;
      if (isFatal || error instanceof OutOfHandlesError || error instanceof StorageUnavailableError)
        throw error;
      base.onError(this.#index.unopened.add(name, identity, error));
    }
  }

  /** Reports a refused live key only once, since an app sends its key with each call. */
  reportRealKeyOnce(): void {
    if (this.#hasNoticedRealKey) return;
    this.#hasNoticedRealKey = true;
    this.options.base.onNotice?.(
      "a request with what looks like a real key of live mode was refused, and the key not recorded; use sk_live_sandbox",
    );
  }

  /** Time of the default namespace, for responses that belong to no namespace. */
  nowMs(): number {
    return this.#index.default?.nowMs() ?? this.options.base.wall.nowMs();
  }

  /** Finds a namespace by the `Sandbox-Namespace` header, else by the API key; without both, the default one. */
  find(header: string | null, apiKey: string | null): Namespace | undefined {
    if (header !== null) return this.#index.get(header);
    if (apiKey === null) return this.#index.default;
    const existing = this.#index.ofKey(apiKey) ?? this.#createByKey(apiKey);
    if (existing !== undefined) return existing;
    return this.#index.unopened.findByKey(apiKey) === undefined ? this.#index.default : undefined;
  }

  /** Error for a request for which `find` returns undefined. */
  notFoundRefusal(header: string | null, apiKey: string | null): Refusal {
    const name = header ?? this.#index.unopened.findByKey(apiKey ?? "") ?? DEFAULT_NAMESPACE;
    return this.#index.unopened.refusalOf(name) ?? refuse("NOT_FOUND", `There is no namespace "${name}"`);
  }

  /** With `--auto-namespaces`: creates the namespace that an unknown API key names. */
  #createByKey(apiKey: string): Namespace | undefined {
    // With several processes, `locate` has created the namespace.
    const name = this.ownership === undefined ? this.#nameCreatedBy(apiKey) : undefined;
    if (name === undefined) return undefined;
    this.options.storage.begin(name, {});
    try {
      const created = this.#openBegun(name, {});
      this.options.storage.finish(name);
      return created;
    } catch (error) {
      this.#undoCreation(name);
      throw error;
    }
  }

  #nameCreatedBy(apiKey: string): string | undefined {
    if (!this.options.autoNamespaces || this.#index.size >= NAMESPACE_LIMIT) return undefined;
    const name = namespaceInKey(apiKey);
    if (name === undefined || !safeParse(namespaceNameSchema, name).ok) return undefined;
    const isTaken = this.#index.isNameTaken(name) || this.#index.isKeyTaken(name, {});
    return isTaken ? undefined : name;
  }

  /** Searches all namespaces: a checkout link names no namespace, and checkout ids are unique in the server. */
  findCheckout(checkoutId: string): Namespace | undefined {
    for (const namespace of this.#index.all)
      if (namespace.engine.state.chargeOfCheckout(checkoutId) !== undefined) return namespace;
    return undefined;
  }

  /** As `Namespace.passGate`, for all namespaces: a page may show or change any of them. */
  passGate(): Promise<void> | undefined {
    const passing = this.#index.all.flatMap((namespace) => namespace.passGate() ?? []);
    return passing.length === 0 ? undefined : Promise.all(passing).then(() => {});
  }

  /** Advice since the start, including that of reset or deleted namespaces. */
  advice(): Advice[] {
    const open = this.#index.all.flatMap(({ traffic }) => findAdvice(traffic));
    return sumAdvice([...this.#pastAdvice, ...open]);
  }

  list(): NamespaceView[] {
    return this.#index.all.reverse().map(namespaceView);
  }

  async create(request: CreateNamespaceRequest): Promise<NamespaceView | Refusal> {
    const name = request.name ?? this.#index.freeName();
    const taken = refuse("NAMESPACE_EXISTS", `There is a namespace "${name}" already`);
    if (this.#index.get(name) !== undefined) return taken;
    const unusable = this.#index.unopened.refusalOf(name);
    if (unusable !== undefined) return unusable;
    const [apiKey] = apiKeysOf(name, request);
    const owner = this.ownership && (await this.ownership.nameOfKey(apiKey, namespaceInKey(apiKey)));
    if (this.#index.isKeyTaken(name, request) || (owner !== undefined && owner !== name)) {
      // If the key of a generated name is taken, `create` tries the next name.
      if (request.name === undefined && request.api_key === undefined) return this.create(request);
      return refuse("NAMESPACE_EXISTS", "The API key belongs to another namespace");
    }
    const refusal = refuseInvalidSecrets(this.options.base, name, request);
    if (refusal !== undefined) return refusal;
    const beginning = this.options.storage.begin(name, request);
    // If a generated name is taken, `create` tries the next name.
    if (beginning !== undefined && !(await beginning))
      return request.name === undefined ? this.create(request) : taken;
    const created = await this.#undoIfFailed(name, async () => {
      const namespace = this.#openBegun(name, request);
      await namespace.passGate();
      this.options.storage.finish(name);
      return namespace;
    });
    return isRefusal(created) ? created : namespaceView(created);
  }

  #openBegun(name: string, request: CreateNamespaceRequest): Namespace {
    const startMs =
      request.start_time === undefined ? this.options.base.startMs : parseInstant(request.start_time);
    return this.#open(name, request, startMs);
  }

  async #undoIfFailed(name: string, create: () => Promise<Namespace>): Promise<Namespace | Refusal> {
    try {
      return await create();
    } catch (error) {
      this.#undoCreation(name);
      if (error instanceof OutOfHandlesError) return refuse("INTERNAL_ERROR", error.message);
      throw error;
    }
  }

  #undoCreation(name: string): void {
    this.discard(name);
    this.options.storage.undo(name);
  }

  /** Returns the namespace, created if necessary; an existing one is not changed. */
  async ensure(name: string, request: CreateNamespaceRequest): Promise<NamespaceView | Refusal> {
    // The user may have repaired the files of a skipped namespace.
    if (this.#index.unopened.delete(name)) this.#openStored(name);
    const existing = this.#index.get(name);
    return existing === undefined ? this.create({ ...request, name }) : namespaceView(existing);
  }

  async delete(name: string): Promise<Refusal | undefined> {
    const namespace = this.#index.get(name);
    if (name === DEFAULT_NAMESPACE) return refuse("FORBIDDEN", "The default namespace cannot be deleted");
    if (namespace === undefined && !this.#index.unopened.has(name))
      return refuse("NOT_FOUND", `There is no namespace "${name}"`);
    await this.options.storage.remove(name, namespace && (() => this.discard(name)));
    this.#index.unopened.delete(name);
    return undefined;
  }

  reopen(name: string): void {
    this.#index
      .get(name)
      ?.reopen()
      .catch((error) => {
        this.options.base.onError(error);
        this.discard(name);
      });
  }

  /** Closes a namespace without writing, because it is deleted or another process may run it now. */
  discard(name: string): void {
    this.#index.remove(name)?.discard();
  }

  #open(name: string, request: CreateNamespaceRequest, startMs: number | undefined): Namespace {
    const { base, storage, onActivity } = this.options;
    const isDefault = name === DEFAULT_NAMESPACE;
    const [apiKey, liveApiKey] = isDefault ? [base.apiKey, base.liveApiKey] : apiKeysOf(name, request);
    const store = storage.open(name);
    let namespace: Namespace;
    try {
      namespace = new Namespace({
        ...base,
        keepAdvice: (advice) => {
          this.#pastAdvice = sumAdvice([...this.#pastAdvice, ...advice]);
        },
        totalCounters: this.totalCounters,
        name,
        totalRuleCounts: this.#rulesInAll,
        memory: this.#memory,
        ...(isDefault ? {} : { seed: request.seed, defaultSeed: this.defaultInfo.seed }),
        startMs,
        clock: request.clock === undefined ? base.clock : parseClockSetting(request.clock),
        webhookSecret: request.webhook_secret ?? base.webhookSecret,
        webhooks: [...resolveInheritedWebhooks(base.webhooks, name), ...(request.webhooks ?? [])],
        apiKey,
        liveApiKey,
        store,
        acceptsOrigin: this.ownership !== undefined,
        snapshots: () => storage.snapshots(name),
      });
    } catch (error) {
      // Releases the lock and file handles that the store may have taken.
      store.close();
      throw error;
    }
    if (onActivity !== undefined) reportActivity(namespace, onActivity);
    this.#index.add(namespace);
    return namespace;
  }

  /** Closes all namespaces, even if one fails. */
  close(): void {
    const failures: unknown[] = [];
    for (const namespace of this.#index.all) {
      try {
        namespace.close();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#index.clear();
    if (failures.length > 0) throw failures[0];
  }
}

function namespaceView(namespace: Namespace): NamespaceView {
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
