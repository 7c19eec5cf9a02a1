/*
 * Storage in PostgreSQL for several processes. Each renews one row of its own; when that is out, the others delete it,
 * which frees its namespaces, and take them over with the next fence.
 * An encoded change flows through: engine → `PostgresStore` → `Commits` → one transaction, which checks the fences.
 * Never here: domain rules, HTTP.
 */

import type { Store } from "../../engine/store.js";
import type { NamespaceIdentity } from "../../schema/control-requests.js";
import { parseDuration } from "../../schema/duration.js";
import { StorageAway } from "../../schema/unavailable.js";
import { afterDelay, monotonicMs, repeatEvery } from "../../time/timers.js";
import { generateToken } from "../../time/wall-clock.js";
import type { FileStorageOptions } from "../file-storage.js";
import type { Location, Place, Snapshots, Storage } from "../storage.js";
import { asStoreError, StoreError } from "../store-error.js";
import { Commits, type Entry, type Lease, movedAway } from "./commits.js";
import { Link } from "./link.js";
import { PostgresSnapshots, PostgresStore } from "./postgres-store.js";
import { RENEW, register } from "./schema.js";

const RENEWALS_PER_LEASE = 3;
/** Pause between attempts to reach the database. */
const RETRY_MS = 500;
/** Limit of statements that read or write whole states. */
const LONG_QUERY_MS = 60_000;
/** Validity of what was looked up, so that not every call asks the database. */
const LOOKUP_MS = 1_000;

export interface PostgresStorageOptions extends FileStorageOptions {
  readonly version: string;
  /** Seed of a new schema. */
  readonly seed: string;
}

const TAKE = `update namespaces set owner = $2, fence = fence + 1 where name = $1 and (owner is null or owner = $2)
  returning name, id, fence, seq::float8 as seq, identity`;

/** One statement, so that a compaction meanwhile cannot tear it. */
const READ = `select seq::float8 as seq, is_state as "isState", body, null as name, null as at from entries
    where id = $1 and seq >= (select max(seq) from entries where id = $1 and is_state)
  union all select saved, true, body, name, at from snapshots where id = $1 order by name nulls first, seq`;

export class PostgresStorage implements Storage {
  readonly leases = this;
  readonly process = generateToken();
  /** For everything that may take long. */
  readonly link: Link;
  /** For commits and renewals. */
  readonly commits: Commits;
  /** Seed of namespaces without one of their own. */
  seed = "";
  isAway = false;
  /** Namespaces that this process runs. */
  readonly held = new Map<string, Lease>();
  /** Opens namespaces that were taken over, and discards those where memory and database may differ. */
  events: { open(name: string): void; discard(name: string): void } | undefined;
  readonly #schema: string;
  readonly #leaseMs: number;
  readonly #searches = new Map<string, Promise<Location>>();
  /** Places by names and API keys. */
  readonly #places = new Map<string, Place>();
  #url: string | null = null;
  #validUntilMs = 0;
  /** Number of times that this process's row was missing: the leases from before are lost. */
  #losses = 0;
  /** After the database was away, the other processes get the time of a lease to renew theirs. */
  #freesFromMs = 0;
  #isStopped = false;
  #renewing: Promise<void> | undefined;
  #timers: (() => void)[] = [];

  constructor(readonly options: PostgresStorageOptions) {
    const url = new URL(options.data);
    const { schema = "payments_sandbox", lease = "10s" } = Object.fromEntries(url.searchParams);
    const leaseMs = parseDuration(lease);
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || leaseMs === undefined || leaseMs < 1_000)
      throw new StoreError(
        "--data: schema must be lower-case letters, digits and underscores, lease at least 1s.",
      );
    for (const name of ["schema", "lease"]) url.searchParams.delete(name);
    this.#schema = schema;
    this.#leaseMs = leaseMs;
    this.link = new Link(url.href, schema, LONG_QUERY_MS);
    // A commit that takes as long as a lease has lost it.
    this.commits = new Commits(url.href, schema, leaseMs);
  }

  /** Registers the process and takes free namespaces over. */
  async start(): Promise<this> {
    try {
      this.seed = await register(this.link, this.#schema, this.options, this.#registration());
      await this.#renewNow();
    } catch (error) {
      await this.link.close();
      await this.commits.close();
      throw asStoreError(error, "Cannot open the database");
    }
    this.#timers = [
      repeatEvery(this.#leaseMs / RENEWALS_PER_LEASE, () => void this.#renew()),
      repeatEvery(LOOKUP_MS, () => this.#places.clear()),
    ];
    return this;
  }

  #registration(): unknown[] {
    return [this.process, this.options.version, this.#leaseMs, this.#url];
  }

  recover(): string[] {
    return [...this.held.keys()].filter((name) => name !== this.options.defaultName);
  }

  open(name: string): Store {
    const lease = this.held.get(name);
    if (lease === undefined) throw movedAway({ name });
    return new PostgresStore(lease);
  }

  snapshots(name: string): Snapshots {
    return new PostgresSnapshots(this.held.get(name)!);
  }

  identity(name: string): NamespaceIdentity {
    return this.held.get(name)?.identity ?? {};
  }

  async begin(name: string, { api_key, webhook_secret, clock }: NamespaceIdentity): Promise<boolean> {
    const identity = JSON.stringify({ api_key, webhook_secret, clock });
    const insertion =
      "insert into namespaces (name, identity, owner) values ($1, $2, $3) on conflict do nothing returning id";
    // A failure is its own caller's.
    while (this.#searches.has(name)) await this.#searches.get(name)!.catch(() => {});
    let isCreated = false;
    await this.#search(name, async () => {
      isCreated = (await this.link.query(insertion, [name, identity, this.process])).length > 0;
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
    const deleted = await this.link.query(deletion, [name, this.process]);
    if (deleted.length === 0) throw movedAway({ name });
    this.held.delete(name);
    close?.();
  }

  /** True while no other process can have taken the namespace over. */
  holds(name: string): boolean {
    return this.held.has(name) && monotonicMs() < this.#validUntilMs;
  }

  /** Takes a free namespace over, or finds the process that runs it. */
  async locate(name: string): Promise<Location> {
    if (this.holds(name)) return "here";
    return this.#places.get(name) ?? this.#search(name, () => this.#find(name));
  }

  /** One takeover or creation of a namespace at a time; a second caller gets the result of the first. */
  #search(name: string, work: () => Promise<Location>): Promise<Location> {
    let search = this.#searches.get(name);
    if (search === undefined) {
      search = work().finally(() => this.#searches.delete(name));
      this.#searches.set(name, search);
    }
    return search;
  }

  async #find(name: string): Promise<Location> {
    // The lease is out by this machine's clock. While the database is away, reads go on from memory.
    if (this.held.has(name)) await this.#renew();
    if (this.held.has(name)) return "here";
    if (this.isAway) throw new StorageAway("the database does not answer");
    await this.#free();
    if (await this.#take(name)) return "here";
    const [place] = await this.places("name = $2", [name]);
    if (place === undefined) return "nowhere";
    if (place.owner === null) throw movedAway({ name });
    this.#places.set(name, place);
    return place;
  }

  /** Finds a namespace by its own key, or by the name that the key contains. */
  async nameOfKey(apiKey: string, nameInKey: string | undefined): Promise<string | undefined> {
    const isOfKey = "identity ->> 'api_key' = $2 or (identity ->> 'api_key' is null and name = $3)";
    const values = [apiKey.replace(/^sk_live_/, "sk_test_"), nameInKey];
    const place = this.#places.get(apiKey) ?? (await this.places(isOfKey, values))[0];
    if (place !== undefined) this.#places.set(apiKey, place);
    return place?.name;
  }

  /**
   * All namespaces, newest first.
   *
   * @param values of the condition's parameters from $2
   */
  places(condition = "true", values: unknown[] = []): Promise<Place[]> {
    return this.link.query(
      `select name, owner, url from namespaces
        left join processes on processes.id = owner and owner <> $1
        where ${condition} order by namespaces.id desc`,
      [this.process, ...values],
    );
  }

  /** Sets the URL where other processes pass calls on to. */
  async advertise(url: string | null): Promise<void> {
    this.#url = url;
    await this.#renewing;
    await this.#renew();
  }

  /** Ends takeovers; call it before the namespaces close. */
  stop(): void {
    this.#isStopped = true;
    for (const stopTimer of this.#timers) stopTimer();
  }

  /** Ends all leases, so that other processes take over at once. */
  async release(): Promise<void> {
    this.stop();
    await this.#renewing;
    await this.commits.whenEmpty();
    // Leases that cannot be released run out.
    await this.link.query("delete from processes where id = $1", [this.process]).catch(this.options.onError);
    await this.link.close();
    await this.commits.close();
  }

  /** Ends a lease on this side: memory and database may differ, or another process may have the namespace. */
  lose(lease: Lease): void {
    lease.isLost = true;
    if (this.forget(lease)) this.events?.discard(lease.name);
  }

  /** Returns false if it was not held any more. */
  forget(lease: Lease): boolean {
    return this.held.get(lease.name) === lease && this.held.delete(lease.name);
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .catch((error) => this.noteAway(error))
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isStopped) return;
    const sentMs = monotonicMs();
    const [row] = await this.commits.query<{ isNew: boolean }>(RENEW, this.#registration(), "renew");
    if (row!.isNew) this.#losses++;
    if (row!.isNew || this.isAway) await this.#compareLeases();
    this.#validUntilMs = sentMs + this.#leaseMs;
    await this.#free();
    await this.#takeFree();
  }

  /** Discards namespaces that other processes may have taken over, or whose last commit has an unknown fate. */
  async #compareLeases(): Promise<void> {
    const rows = await this.commits.query<Lease>(
      "select id, fence, seq::float8 as seq from namespaces where owner = $1",
      [this.process],
    );
    const stored = new Map(rows.map(({ id, fence, seq }) => [id, `${fence} ${seq}`]));
    for (const lease of [...this.held.values()])
      if (stored.get(lease.id) !== `${lease.fence} ${lease.seq}`) this.lose(lease);
    if (!this.isAway) return;
    this.#freesFromMs = monotonicMs() + this.#leaseMs;
    this.isAway = false;
    this.options.onNotice?.("the database answers again");
  }

  noteAway(error: unknown): void {
    if (this.#isStopped) return;
    if (!this.isAway)
      this.options.onNotice?.(
        `the database is away: reads go on from memory, writes get 503 (${(error as Error).message})`,
      );
    this.isAway = true;
    afterDelay(RETRY_MS, () => void this.#renew());
  }

  checkReachable(lease: Lease): void {
    if (lease.isLost) throw movedAway(lease);
    if (this.isAway) throw new StorageAway("the database does not answer");
  }

  /** For snapshots and compactions, which must not delay commits. */
  async writeIfHeld(lease: Lease, write: string, values: unknown[]): Promise<void> {
    this.checkReachable(lease);
    const held = "held as (select id from namespaces where id = $1 and fence = $2 and owner = $3)";
    const text = `with ${held}${write} select id from held`;
    const rows = await this.link.query(text, [lease.id, lease.fence, this.process, ...values]);
    if (rows.length === 0) throw movedAway(lease);
  }

  /** Ends the leases that are out. */
  async #free(): Promise<void> {
    if (monotonicMs() >= this.#freesFromMs)
      await this.link.query("delete from processes where expires <= clock_timestamp()");
  }

  /** Takes this process's share of the free namespaces over, at least one. */
  async #takeFree(): Promise<void> {
    const free = await this.link.query<{ name: string; share: number }>(
      `select name, ceil((select count(*) from namespaces)::float / nullif((select count(*) from processes), 0)) as share
        from namespaces where owner is null or owner = $1 order by random()`,
      [this.process],
    );
    for (const { name, share } of free) {
      if (this.held.has(name) || this.#searches.has(name)) continue;
      await this.#search(name, () => this.#find(name));
      if (this.held.has(name)) this.events?.open(name);
      if (this.held.size >= share) return;
    }
  }

  async #take(name: string): Promise<boolean> {
    if (this.#isStopped) return false;
    const losses = this.#losses;
    const [row] = await this.link.query<Lease>(TAKE, [name, this.process]);
    if (row === undefined) return false;
    const stored = await this.link.query<Lease["snapshots"][number] & Entry>(READ, [row.id]);
    if (losses !== this.#losses) throw movedAway({ name });
    const isEntry = ({ name }: { name: string | null }) => name === null;
    const [entries, snapshots] = [stored.filter(isEntry), stored.filter((one) => !isEntry(one))];
    this.#places.delete(name);
    this.held.set(name, { ...row, storage: this, entries, snapshots, isLost: false });
    return true;
  }
}
