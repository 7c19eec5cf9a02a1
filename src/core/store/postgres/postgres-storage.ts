/*
 * Storage in PostgreSQL for several processes. Each process renews a row in `processes`. Deleting an expired row frees
 * its namespaces. A takeover raises the `fence` of a namespace, so late commits of the previous owner fail.
 * An encoded change flows through: engine → `PostgresStore` → `CommitQueue` → one transaction, which checks the fences.
 * Never here: domain rules, HTTP.
 */

import type { Store } from "../../engine/store.js";
import type { NamespaceIdentity } from "../../schema/control-requests.js";
import { errorText } from "../../schema/error-text.js";
import { DEFAULT_NAMESPACE } from "../../schema/option-schemas.js";
import { StorageUnavailableError } from "../../schema/refusals.js";
import { afterDelay, monotonicMs, pause, repeatEvery } from "../../time/timers.js";
import type { FileStorageOptions } from "../file-storage.js";
import { decodeNamespaceRecord, NAMESPACE_MARK } from "../state-format.js";
import type {
  NamespaceLocation,
  NamespaceOwner,
  Ownership,
  Snapshots,
  Storage,
  StoredOrigin,
} from "../storage.js";
import { asStoreError } from "../store-error.js";
import {
  CommitQueue,
  DatabaseConnection,
  type OwnedNamespace,
  ownershipLostError,
  type StoredEntry,
} from "./commits.js";
import { parseDatabaseUrl } from "./database-url.js";
import { PostgresSnapshots, PostgresStore } from "./postgres-store.js";
import { RENEW_PROCESS, registerProcess, requireUtf8 } from "./schema.js";

const RENEWALS_PER_LEASE = 3;
const RETRY_MS = 500;
/** Limit of statements that read or write whole states. */
const LONG_QUERY_MS = 60_000;
/** Validity of a looked-up namespace owner, so that not every call queries the database. */
const LOOKUP_MS = 1_000;

export interface PostgresStorageOptions extends FileStorageOptions {
  readonly version: string;
  /** Seed of new namespaces; stored when the schema is created. */
  readonly seed: string;
}

const TAKE = `update namespaces set owner = $2, fence = fence + 1 where name = $1 and (owner is null or owner = $2)
  returning name, id, fence, seq::float8 as seq, identity`;

const RAISE_FENCE = `update namespaces set fence = fence + 1 where id = $1 and fence = $2 and owner = $3
  returning fence, seq::float8 as seq`;

/** One statement, so that no compaction can come between its reads. */
const READ = `select seq::float8 as seq, is_state as "isState", body, null as name, null as at from entries
    where id = $1 and seq >= (select max(seq) from entries where id = $1 and is_state)
  union all select saved, true, body, name, at from snapshots where id = $1 order by name nulls first, seq`;

/**
 * Reads the namespace's record, which is at the end of the last full state. Text functions, because JSON functions
 * reject escaped NUL and lone surrogates.
 */
const READ_RECORD = `select substring(body from strpos(body, $2)) as end from entries e
    join namespaces n using (id) where n.name = $1 and is_state and strpos(body, $2) > 0 order by e.seq desc limit 1`;

export class PostgresStorage extends CommitQueue implements Storage, Ownership {
  readonly ownership = this;
  readonly link: DatabaseConnection;
  seed = "";
  defaultOrigin: StoredOrigin = { seed: "" };
  readonly #schema: string;
  readonly leaseMs: number;
  readonly #searches = new Map<string, Promise<NamespaceLocation>>();
  /** Namespace owners by namespace name and by API key. */
  readonly #owners = new Map<string, NamespaceOwner>();
  #url: string | null = null;
  #validUntilMs = 0;
  /** Number of times that this process's row was missing; each time, all its namespaces were lost. */
  #losses = 0;
  /** No namespace of a silent process is freed before this time, so that others can renew theirs after an outage. */
  #freesFromMs = 0;
  #isStopped = false;
  #renewing: Promise<void> | undefined;
  #takingOver: Promise<void> | undefined;
  #timers: (() => void)[] = [];

  constructor(readonly options: PostgresStorageOptions) {
    const { url, schema, leaseMs } = parseDatabaseUrl(options.data);
    // A commit times out after `leaseMs`, since the namespace is lost by then.
    super(url, schema, leaseMs);
    this.link = new DatabaseConnection(url, schema, LONG_QUERY_MS);
    this.#schema = schema;
    this.leaseMs = leaseMs;
  }

  async start(): Promise<this> {
    try {
      // Fails sooner than a query of `link`, whose timeout is longer.
      await requireUtf8(this);
      this.seed = await registerProcess(this.link, this.#schema, this.options, this.#registration());
      await this.#renewNow();
      await this.#takeFree();
      const read = [DEFAULT_NAMESPACE, NAMESPACE_MARK];
      const [stored] = await this.link.query<{ end: string }>(READ_RECORD, read);
      this.defaultOrigin = stored === undefined ? { seed: this.seed } : decodeNamespaceRecord(stored.end);
    } catch (error) {
      await this.link.close();
      await this.close();
      throw asStoreError(error, "Cannot open the database");
    }
    this.#timers = [
      repeatEvery(this.leaseMs / RENEWALS_PER_LEASE, () => void this.#renew()),
      repeatEvery(LOOKUP_MS, () => this.#owners.clear()),
    ];
    return this;
  }

  #registration(): unknown[] {
    return [this.processId, this.options.version, this.leaseMs, this.#url];
  }

  recover(): string[] {
    return [...this.ownedNamespaces.keys()].filter((name) => name !== DEFAULT_NAMESPACE);
  }

  open(name: string): Store {
    const owned = this.ownedNamespaces.get(name);
    if (owned === undefined) throw ownershipLostError({ name });
    return new PostgresStore(owned);
  }

  snapshots(name: string): Snapshots {
    return new PostgresSnapshots(this.ownedNamespaces.get(name)!);
  }

  identity(name: string): NamespaceIdentity {
    return this.ownedNamespaces.get(name)?.identity ?? {};
  }

  async begin(name: string, { api_key, webhook_secret, clock }: NamespaceIdentity): Promise<boolean> {
    const identity = JSON.stringify({ api_key, webhook_secret, clock });
    const insertion =
      "insert into namespaces (name, identity, owner) values ($1, $2, $3) on conflict do nothing returning id";
    // An error of a search goes to the caller that began the search.
    while (this.#searches.has(name)) await this.#searches.get(name)!.catch(() => {});
    let isCreated = false;
    await this.#search(name, async () => {
      isCreated = (await this.link.query(insertion, [name, identity, this.processId])).length > 0;
      return this.#find(name);
    });
    return isCreated;
  }

  finish(): void {}

  undo(name: string): void {
    this.remove(name).catch(this.options.onError);
  }

  async remove(name: string, close?: () => void): Promise<void> {
    const deletion = "delete from namespaces where name = $1 and owner = $2 returning id";
    const deleted = await this.link.query(deletion, [name, this.processId]);
    if (deleted.length === 0) throw ownershipLostError({ name });
    this.ownedNamespaces.delete(name);
    close?.();
  }

  owns(name: string): boolean {
    return this.ownedNamespaces.has(name) && monotonicMs() < this.#validUntilMs;
  }

  async locate(name: string): Promise<NamespaceLocation> {
    if (this.owns(name)) return "here";
    return this.#owners.get(name) ?? this.#search(name, () => this.#find(name));
  }

  /** Runs one takeover or creation of a namespace at a time; a second caller gets the result of the first. */
  #search(name: string, work: () => Promise<NamespaceLocation>): Promise<NamespaceLocation> {
    let search = this.#searches.get(name);
    if (search === undefined) {
      search = work().finally(() => this.#searches.delete(name));
      this.#searches.set(name, search);
    }
    return search;
  }

  async #find(name: string): Promise<NamespaceLocation> {
    if (this.ownedNamespaces.has(name)) await this.#renewExpired(name);
    if (this.ownedNamespaces.has(name)) return "here";
    if (this.isStorageUnreachable) throw new StorageUnavailableError("the database does not answer");
    await this.#free();
    if (await this.#take(name)) return "here";
    const [place] = await this.listOwners("name = $2", [name]);
    if (place === undefined) return "nowhere";
    this.#owners.set(name, place);
    return place;
  }

  async nameOfKey(apiKey: string, nameInKey: string | undefined): Promise<string | undefined> {
    const isOfKey = "identity ->> 'api_key' = $2 or (identity ->> 'api_key' is null and name = $3)";
    const values = [apiKey.replace(/^sk_live_/, "sk_test_"), nameInKey];
    const place = this.#owners.get(apiKey) ?? (await this.listOwners(isOfKey, values))[0];
    if (place !== undefined) this.#owners.set(apiKey, place);
    return place?.name;
  }

  /** @param values for $2, $3, … in `condition`; $1 is this process */
  listOwners(condition = "true", values: unknown[] = []): Promise<NamespaceOwner[]> {
    return this.link.query(
      `select name, url from namespaces
        left join processes on processes.id = owner and owner <> $1
        where ${condition} order by namespaces.id desc`,
      [this.processId, ...values],
    );
  }

  async advertise(url: string | null): Promise<void> {
    this.#url = url;
    await this.#renewing;
    await this.#renew();
  }

  stop(): void {
    this.#isStopped = true;
    for (const stopTimer of this.#timers) stopTimer();
  }

  async release(): Promise<void> {
    this.stop();
    await this.#renewing;
    await this.#takingOver;
    await this.whenEmpty();
    // If the statement fails, the ownership expires.
    await this.link
      .query("delete from processes where id = $1", [this.processId])
      .catch(this.options.onError);
    await this.link.close();
    await this.close();
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .then(() => this.#takeOver())
      .catch((error) => this.#noteFailure(error))
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  /**
   * Renews ownership that has expired. While the database is away the namespace stays owned, and reads go on from memory.
   *
   * @throws StorageUnavailableError if the database does not renew it at once, so that another process may run the namespace
   */
  async #renewExpired(name: string): Promise<void> {
    const isRenewed = await Promise.race([this.#renew().then(() => true), pause(RETRY_MS).then(() => false)]);
    if (!isRenewed && !this.isStorageUnreachable)
      throw new StorageUnavailableError(`the lease of the namespace "${name}" is out and not renewed yet`);
  }

  async #renewNow(): Promise<void> {
    if (this.#isStopped) return;
    const sentMs = monotonicMs();
    const [row] = await this.query<{ isNew: boolean }>(RENEW_PROCESS, this.#registration(), "renew");
    if (row!.isNew) this.#losses++;
    if (row!.isNew || this.isStorageUnreachable) await this.#compareOwnership();
    this.#validUntilMs = sentMs + this.leaseMs;
  }

  /** Begins a takeover of free namespaces. A renewal must not wait for the takeover, which may read large states. */
  #takeOver(): void {
    this.#takingOver ??= this.#takeFree()
      .catch((error) => {
        if (!(error instanceof StorageUnavailableError)) this.options.onError(error);
      })
      .finally(() => {
        this.#takingOver = undefined;
      });
  }

  /** Discards namespaces that other processes may have taken over, and reads broken ones again. */
  async #compareOwnership(): Promise<void> {
    const rows = await this.query<OwnedNamespace>(
      "select id, fence, seq::float8 as seq from namespaces where owner = $1",
      [this.processId],
    );
    const stored = new Map(rows.map(({ id, fence, seq }) => [id, `${fence} ${seq}`]));
    const broken: OwnedNamespace[] = [];
    for (const owned of [...this.ownedNamespaces.values()]) {
      const isToBeReadAgain = owned.failure !== undefined && owned.entries === undefined;
      if (isToBeReadAgain && stored.get(owned.id)?.startsWith(`${owned.fence} `)) broken.push(owned);
      else if (stored.get(owned.id) !== `${owned.fence} ${owned.seq}`) this.lose(owned);
    }
    if (this.isStorageUnreachable) {
      this.#freesFromMs = monotonicMs() + this.leaseMs;
      this.isStorageUnreachable = false;
      this.options.onNotice?.("the database answers again");
    }
    for (const owned of broken) await this.reopen(owned);
  }

  /** Raises the fence first, so that a commit of unknown fate cannot succeed after the state was read. */
  async reopen(owned: OwnedNamespace): Promise<void> {
    try {
      const values = [owned.id, owned.fence, this.processId];
      const [row] = await this.query<Pick<OwnedNamespace, "fence" | "seq">>(RAISE_FENCE, values);
      if (row === undefined) return this.lose(owned);
      const stored = await this.link.query<StoredEntry & { readonly name: string | null }>(READ, [owned.id]);
      owned.entries = stored.filter(({ name }) => name === null);
      if (owned.entries.length === 0 || owned.isLost) return this.lose(owned);
      owned.fence = row.fence;
      owned.seq = row.seq;
      this.events?.reopen(owned.name);
    } catch (error) {
      this.#noteFailure(error);
      if (!(error instanceof StorageUnavailableError)) this.lose(owned);
    }
  }

  /** A statement that the database refuses is reported; the database is away only if it does not answer. */
  #noteFailure(error: unknown): void {
    if (error instanceof StorageUnavailableError) this.noteUnreachable(error);
    else this.options.onError(error as Error);
  }

  /** Refuses changes until there is another connection, which is made at once. */
  protected override onLost(error: Error): void {
    this.noteUnreachable(error);
    void this.#renew();
  }

  noteUnreachable(error: unknown): void {
    if (this.#isStopped) return;
    if (!this.isStorageUnreachable)
      this.options.onNotice?.(
        `the database is away: reads go on from memory, writes get 503 (${errorText(error)})`,
      );
    this.isStorageUnreachable = true;
    afterDelay(RETRY_MS, () => void this.#renew());
  }

  /** Frees the namespaces of silent processes. */
  async #free(): Promise<void> {
    if (monotonicMs() >= this.#freesFromMs)
      await this.link.query("delete from processes where expires <= clock_timestamp()");
  }

  /** Takes over this process's share of the free namespaces, at least one. */
  async #takeFree(): Promise<void> {
    if (this.#isStopped) return;
    await this.#free();
    const free = await this.link.query<{ name: string; share: number }>(
      `select name, ceil((select count(*) from namespaces)::float / nullif((select count(*) from processes), 0)) as share
        from namespaces where owner is null or owner = $1 order by random()`,
      [this.processId],
    );
    for (const { name, share } of free) {
      if (this.ownedNamespaces.has(name) || this.#searches.has(name)) continue;
      await this.#search(name, () => this.#find(name));
      if (this.ownedNamespaces.has(name)) this.events?.open(name);
      if (this.ownedNamespaces.size >= share) return;
    }
  }

  async #take(name: string): Promise<boolean> {
    if (this.#isStopped) return false;
    const losses = this.#losses;
    const [row] = await this.link.query<OwnedNamespace>(TAKE, [name, this.processId]);
    if (row === undefined) return false;
    const stored = await this.link.query<OwnedNamespace["snapshots"][number] & StoredEntry>(READ, [row.id]);
    if (losses !== this.#losses) throw ownershipLostError({ name });
    const entries = stored.filter((row) => row.name === null);
    const snapshots = stored.slice(entries.length);
    this.#owners.delete(name);
    this.ownedNamespaces.set(name, {
      ...row,
      lastSeq: row.seq,
      commits: this,
      entries,
      snapshots,
      failure: undefined,
      isLost: false,
      events: undefined,
    });
    return true;
  }
}
