/*
 * Storage in PostgreSQL for several processes. Each renews one row of its own; when that is out, the others delete it,
 * which frees its namespaces, and take them over with the next fence.
 * An encoded change flows through: engine → `PostgresStore` → `Commits` → one transaction, which checks the fences.
 * Never here: domain rules, HTTP.
 */

import type { Store } from "../../engine/store.js";
import { type NamespaceIdentity, namespaceIdentitySchema } from "../../schema/control-requests.js";
import { parseDuration } from "../../schema/duration.js";
import { safeParse } from "../../schema/issues.js";
import { StorageAway } from "../../schema/unavailable.js";
import { afterDelay, monotonicMs, repeatEvery } from "../../time/timers.js";
import { generateToken } from "../../time/wall-clock.js";
import type { LeaseEvents, Leases, Location, Snapshots, Storage } from "../storage.js";
import { asStoreError, StoreError } from "../store-error.js";
import { Commits, type Entry, type Lease, movedAway } from "./commits.js";
import { Link } from "./link.js";
import { type Held, PostgresSnapshots, PostgresStore, type StoredSnapshot } from "./postgres-store.js";
import { REGISTER, register } from "./schema.js";

const DEFAULT_LEASE = "10s";
const RENEWALS_PER_LEASE = 3;
/** Pause between attempts to reach the database. */
const RETRY_MS = 500;
/** Limit of statements that read or write whole states. */
const LONG_QUERY_MS = 60_000;
/** Validity of a known location or key, so that not every call asks the database. */
const LOCATION_MS = 1_000;
const LOCATIONS_MAX = 10_000;

export interface PostgresStorageOptions {
  /** `postgres://USER@HOST/DB?schema=NAME&lease=10s` */
  readonly url: string;
  readonly version: string;
  readonly defaultName: string;
  /** Seed of a new schema. */
  readonly seed: string;
  readonly onNotice: (notice: string) => void;
  readonly onError: (failure: Error) => void;
}

interface NamespaceRow {
  readonly id: number;
  readonly fence: string;
  readonly seq: string;
  readonly identity: unknown;
}

const FOREIGN_KEY_VIOLATION = "23503";

const TAKE = `update namespaces set owner = $2, fence = fence + 1
  where name = $1 and (owner is null or owner = $2) returning id, fence, seq, identity`;

/** One statement, so that a compaction meanwhile cannot tear it. */
const READ = `select seq, is_state, body, null as name, null as at from entries
    where id = $1 and seq >= (select max(seq) from entries where id = $1 and is_state)
  union all select saved, true, body, name, at from snapshots where id = $1 order by name nulls first, seq`;

export class PostgresStorage implements Storage, Leases {
  readonly leases = this;
  readonly #options: PostgresStorageOptions;
  readonly #schema: string;
  readonly #leaseMs: number;
  /** For commits and renewals. */
  readonly #commitLink: Link;
  /** For everything that may take long. */
  readonly #link: Link;
  readonly #commits: Commits;
  readonly #held = new Map<string, Held>();
  readonly #busy = new Map<string, Promise<Location>>();
  readonly #elsewhere = new Map<string, { readonly location: Location; readonly untilMs: number }>();
  readonly #keys = new Map<string, { readonly name: string; readonly untilMs: number }>();
  #events: LeaseEvents | undefined;
  #process = generateToken();
  #url: string | null = null;
  #seed = "";
  #validUntilMs = 0;
  /** After the database was away, the other processes get the time of a lease to renew theirs. */
  #freesFromMs = 0;
  #isAway = false;
  #isStopped = false;
  #renewing: Promise<void> | undefined;
  #stopRenewals = (): void => {};

  constructor(options: PostgresStorageOptions) {
    const url = new URL(options.url);
    const { schema = "payments_sandbox", lease = DEFAULT_LEASE } = Object.fromEntries(url.searchParams);
    const leaseMs = parseDuration(lease);
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || leaseMs === undefined || leaseMs < 1_000)
      throw new StoreError(
        "--data: schema must be lower-case letters, digits and underscores, lease at least 1s.",
      );
    for (const name of ["schema", "lease"]) url.searchParams.delete(name);
    this.#options = options;
    this.#schema = schema;
    this.#leaseMs = leaseMs;
    // A commit that takes as long as a lease has lost it.
    this.#commitLink = new Link(url.href, schema, leaseMs);
    this.#link = new Link(url.href, schema, LONG_QUERY_MS);
    this.#commits = new Commits(
      this.#commitLink,
      () => this.#process,
      (error) => this.#noteAway(error),
      (lease) => this.#lose(lease),
    );
  }

  /** Registers the process and takes free namespaces over. */
  async start(): Promise<this> {
    const { version, defaultName, seed } = this.#options;
    try {
      const sentMs = monotonicMs();
      const process = { id: this.#process, version, leaseMs: this.#leaseMs };
      this.#seed = await register(this.#link, this.#schema, defaultName, seed, process);
      this.#validUntilMs = sentMs + this.#leaseMs;
      await this.#takeFree();
    } catch (error) {
      await Promise.all([this.#link.close(), this.#commitLink.close()]);
      throw asStoreError(error, "Cannot open the database");
    }
    this.#stopRenewals = repeatEvery(this.#leaseMs / RENEWALS_PER_LEASE, () => void this.#renew());
    return this;
  }

  recover(): string[] {
    return [...this.#held.keys()].filter((name) => name !== this.#options.defaultName);
  }

  #heldOrThrow(name: string): Held {
    const held = this.#held.get(name);
    if (held === undefined) throw movedAway({ name });
    return held;
  }

  open(name: string): Store {
    return new PostgresStore(this.#heldOrThrow(name));
  }

  snapshots(name: string): Snapshots {
    return new PostgresSnapshots(this.#heldOrThrow(name));
  }

  identity(name: string): NamespaceIdentity {
    const checked = safeParse(namespaceIdentitySchema, this.#held.get(name)?.identity ?? {});
    if (!checked.ok) throw new StoreError(`The identity of the namespace "${name}" is damaged.`);
    return checked.data;
  }

  async begin(name: string, { api_key, webhook_secret, clock }: NamespaceIdentity): Promise<boolean> {
    // A failure is its own caller's.
    while (this.#busy.has(name)) await this.#busy.get(name)!.catch(() => {});
    let isCreated = false;
    await this.#alone(name, async () => {
      const process = this.#process;
      const [row] = await this.#link.query<NamespaceRow>(
        `insert into namespaces (name, identity, owner, fence) values ($1, $2, $3, 1)
          on conflict do nothing returning id, fence, seq, identity`,
        [name, JSON.stringify({ api_key, webhook_secret, clock }), process],
      );
      isCreated = row !== undefined;
      if (row === undefined) return this.#find(name);
      this.#hold(name, process, row, [], []);
      return "here";
    });
    return isCreated;
  }

  finish(): void {}

  undo(name: string): void {
    this.remove(name).catch(this.#options.onError);
  }

  async remove(name: string, close?: () => void): Promise<void> {
    const deletion = "delete from namespaces where name = $1 and owner = $2 returning id";
    const deleted = await this.#link.query(deletion, [name, this.#process]);
    if (deleted.length === 0) throw movedAway({ name });
    const held = this.#held.get(name);
    if (held !== undefined) held.lease.isLost = true;
    this.#held.delete(name);
    close?.();
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  get seed(): string {
    return this.#seed;
  }

  get count(): number {
    return this.#held.size;
  }

  holds(name: string): boolean {
    return this.#held.has(name) && monotonicMs() < this.#validUntilMs;
  }

  watch(events: LeaseEvents): void {
    this.#events = events;
  }

  async locate(name: string): Promise<Location> {
    if (this.holds(name)) return "here";
    const known = this.#elsewhere.get(name);
    if (known !== undefined && monotonicMs() < known.untilMs) return known.location;
    return this.#alone(name, () => this.#find(name));
  }

  /** Runs one takeover or creation of a namespace at a time; a second caller gets the result of the first. */
  #alone(name: string, work: () => Promise<Location>): Promise<Location> {
    let running = this.#busy.get(name);
    if (running === undefined) {
      running = work().finally(() => this.#busy.delete(name));
      this.#busy.set(name, running);
    }
    return running;
  }

  async #find(name: string): Promise<Location> {
    // The lease is out by this machine's clock. While the database is away, reads go on from memory.
    if (this.#held.has(name)) await this.#renew();
    if (this.#held.has(name)) return "here";
    if (this.#isAway) throw new StorageAway("the database does not answer");
    if (await this.#take(name)) return "here";
    await this.#free();
    if (await this.#take(name)) return "here";
    const [row] = await this.#link.query<{ owner: string | null; url: string | null }>(
      "select owner, url from namespaces left join processes on processes.id = owner where name = $1",
      [name],
    );
    if (row === undefined) return "nowhere";
    if (row.owner === null) throw movedAway({ name });
    if (this.#elsewhere.size >= LOCATIONS_MAX) this.#elsewhere.clear();
    this.#elsewhere.set(name, { location: row, untilMs: monotonicMs() + LOCATION_MS });
    return row;
  }

  async nameOfKey(apiKey: string, nameInKey: string | undefined): Promise<string | undefined> {
    const known = this.#keys.get(apiKey);
    if (known !== undefined && monotonicMs() < known.untilMs) return known.name;
    const [row] = await this.#link.query<{ name: string }>(
      `select name from namespaces
        where identity ->> 'api_key' = $1 or (identity ->> 'api_key' is null and name = $2)`,
      [apiKey.replace(/^sk_live_/, "sk_test_"), nameInKey],
    );
    if (row === undefined) return undefined;
    if (this.#keys.size >= LOCATIONS_MAX) this.#keys.clear();
    this.#keys.set(apiKey, { name: row.name, untilMs: monotonicMs() + LOCATION_MS });
    return row.name;
  }

  async names(): Promise<string[]> {
    const rows = await this.#link.query<{ name: string }>("select name from namespaces order by id desc");
    return rows.map(({ name }) => name);
  }

  async peers(): Promise<string[]> {
    const rows = await this.#link.query<{ url: string }>(
      "select url from processes where id <> $1 and url is not null and expires > clock_timestamp()",
      [this.#process],
    );
    return rows.map(({ url }) => url);
  }

  async advertise(url: string | null): Promise<void> {
    this.#url = url;
    await this.#link.query("update processes set url = $2 where id = $1", [this.#process, url]);
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopRenewals();
  }

  async release(): Promise<void> {
    this.stop();
    await this.#renewing;
    await this.#commits.whenEmpty();
    try {
      await this.#link.query("delete from processes where id = $1", [this.#process]);
    } catch (error) {
      this.#options.onNotice(`the leases were not released and run out: ${(error as Error).message}`);
    }
    await Promise.all([this.#link.close(), this.#commitLink.close()]);
  }

  /** Ends a lease on this side: memory and database may differ, or another process may have the namespace. */
  #lose(lease: Lease): void {
    if (lease.isLost) return;
    lease.isLost = true;
    if (this.#held.get(lease.name)?.lease === lease) this.#held.delete(lease.name);
    this.#events?.onLost(lease.name);
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow()
      .catch((error) => this.#noteAway(error))
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isStopped) return;
    const sentMs = monotonicMs();
    const renewed = await this.#commitLink.query(
      "update processes set expires = clock_timestamp() + $2 * interval '1 ms', url = $3 where id = $1 returning id",
      [this.#process, this.#leaseMs, this.#url],
    );
    if (renewed.length === 0) await this.#rejoin();
    else this.#validUntilMs = sentMs + this.#leaseMs;
    if (this.#isAway) await this.#comeBack();
    await this.#free();
    await this.#takeFree();
  }

  /** Begins anew under another id: the lease was out, and others may have taken the namespaces over. */
  async #rejoin(): Promise<void> {
    for (const { lease } of [...this.#held.values()]) this.#lose(lease);
    const id = generateToken();
    await this.#commitLink.query(REGISTER, [id, this.#options.version, this.#leaseMs]);
    this.#process = id;
    await this.#renewNow();
  }

  /** Discards the namespaces whose last commit has another fate in the database than in memory. */
  async #comeBack(): Promise<void> {
    await this.#commits.whenEmpty();
    const rows = await this.#commitLink.query<NamespaceRow>(
      "select id, fence, seq from namespaces where owner = $1",
      [this.#process],
    );
    const stored = new Map(rows.map(({ id, fence, seq }) => [id, `${fence} ${seq}`]));
    for (const { lease } of [...this.#held.values()])
      if (stored.get(lease.id) !== `${lease.fence} ${lease.seq}`) this.#lose(lease);
    this.#freesFromMs = monotonicMs() + this.#leaseMs;
    this.#isAway = false;
    this.#options.onNotice("the database answers again");
  }

  #noteAway(error: unknown): void {
    if (this.#isStopped) return;
    if (!this.#isAway)
      this.#options.onNotice(
        `the database is away: reads go on from memory, writes get 503 (${(error as Error).message})`,
      );
    this.#isAway = true;
    afterDelay(RETRY_MS, () => void this.#renew());
  }

  /** Ends the leases that are out. */
  async #free(): Promise<void> {
    if (monotonicMs() < this.#freesFromMs) return;
    await this.#link.query("delete from processes where expires <= clock_timestamp()");
  }

  /** Takes this process's share of the free namespaces over, at least one. */
  async #takeFree(): Promise<void> {
    const free = await this.#link.query<{ name: string; share: number }>(
      `select name, ceil((select count(*) from namespaces)::float / greatest((select count(*) from processes), 1)) as share
        from namespaces where owner is null or owner = $1 order by random()`,
      [this.#process],
    );
    for (const { name, share } of free) {
      if (this.#held.has(name) || this.#busy.has(name)) continue;
      await this.#alone(name, () => this.#find(name));
      if (this.#held.has(name)) this.#events?.onTaken(name);
      if (this.#held.size >= share) return;
    }
  }

  async #take(name: string): Promise<boolean> {
    if (this.#isStopped) return false;
    const process = this.#process;
    const [row] = await this.#link.query<NamespaceRow>(TAKE, [name, process]).catch((error) => {
      if (error.code !== FOREIGN_KEY_VIOLATION) throw error;
      // The row of this process is gone: its own lease is out.
      void this.#renew();
      return [];
    });
    if (row === undefined) return false;
    const rows = await this.#link.query<StoredSnapshot & { seq: string; is_state: boolean }>(READ, [row.id]);
    const entries = rows.filter((stored) => stored.name === null);
    this.#hold(
      name,
      process,
      row,
      entries.map(({ seq, is_state, body }) => ({ seq: Number(seq), isState: is_state, body })),
      rows.slice(entries.length),
    );
    return true;
  }

  /** @param process whose lease it is */
  #hold(
    name: string,
    process: string,
    { id, fence, seq, identity }: NamespaceRow,
    entries: readonly Entry[],
    snapshots: readonly StoredSnapshot[],
  ): void {
    // Its lease ended meanwhile, and others may have taken the namespace over.
    if (process !== this.#process) throw movedAway({ name });
    const lease: Lease = { name, id, fence, seq: Number(seq), isLost: false };
    this.#elsewhere.delete(name);
    this.#held.set(name, {
      lease,
      identity,
      entries,
      snapshots,
      commits: this.#commits,
      link: this.#link,
      owner: () => this.#process,
      isAway: () => this.#isAway,
      onClose: () => {
        if (this.#held.get(name)?.lease === lease) this.#held.delete(name);
      },
    });
  }
}
