import type { Charge } from "../domain/charge.js";
import type { Holdings } from "../domain/ledger.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import type { ChargeStatus } from "../schema/common.js";
import type {
  Change,
  CollectionName,
  Collections,
  Delivery,
  Destination,
  Endpoint,
  EventRecord,
  Key,
  LedgerEntry,
  StateDump,
  Task,
} from "./records.js";
import { SortedList } from "./sorted-list.js";
import { TaskQueue } from "./tasks.js";

export const COLLECTION_NAMES = [
  "quotes",
  "charges",
  "withdrawals",
  "destinations",
  "idempotency",
  "holdings",
  "entries",
  "events",
  "deliveries",
  "endpoints",
  "lanes",
  "tasks",
  "scenarios",
  "faults",
  "rates",
  "clock",
  "world",
] as const satisfies readonly CollectionName[];

type Tables = { readonly [Name in CollectionName]: Map<Key, Collections[Name]> };

/**
 * All data of a namespace: maps of immutable records, and the indexes over them. Nothing but `apply` changes
 * it, one whole Change at a time; the indexes follow from the records and are never saved.
 */
export class State {
  seq = 0;
  at = 0;
  readonly counters: Record<string, number> = {};
  readonly tables: Tables;
  readonly tasks: TaskQueue;

  readonly #lists = new Map<string, SortedList>();
  readonly #bySeq = new Map<CollectionName, Map<number, Key>>();
  readonly #entriesOf = new Map<string, string[]>();
  readonly #holdingsOf = new Map<string, string[]>();
  readonly #chargeOfCheckout = new Map<string, string>();
  #endpointsInOrder: Endpoint[] | undefined;

  constructor() {
    this.tables = Object.fromEntries(COLLECTION_NAMES.map((name) => [name, new Map()])) as unknown as Tables;
    this.tasks = new TaskQueue((task) => this.tables.tasks.get(task.task_id) === task);
  }

  get<Name extends CollectionName>(name: Name, key: Key): Collections[Name] | undefined {
    return this.tables[name].get(key);
  }

  apply(change: Change): void {
    this.seq = change.seq;
    this.at = change.at;
    Object.assign(this.counters, change.counters);
    for (const [name, key, record] of change.puts) this.#put(name, key, record as never);
  }

  #put<Name extends CollectionName>(name: Name, key: Key, record: Collections[Name] | null): void {
    const table = this.tables[name] as Map<Key, Collections[Name]>;
    const old = table.get(key);
    if (record === null) table.delete(key);
    else table.set(key, record);
    this.#index(name, key, old, record ?? undefined);
  }

  #index(name: CollectionName, key: Key, old: unknown, now: unknown): void {
    switch (name) {
      case "tasks":
        if (now !== undefined) this.tasks.push(now as Task);
        else if (old !== undefined) this.tasks.noteCancelled();
        return;
      case "charges": {
        const charge = (now ?? old) as Charge;
        const [before, after] = [old as Charge | undefined, now as Charge | undefined];
        const place = `${charge.mode}|${charge.organization_id}`;
        if (before?.status !== after?.status) {
          if (before !== undefined) this.list(`charges|${place}|${before.status}`).remove(before.seq);
          if (after !== undefined) this.list(`charges|${place}|${after.status}`).add(after.seq);
        }
        if (before === undefined || after === undefined) {
          this.#track(name, key, charge.seq, after !== undefined, [`charges|${place}`, "charges"]);
          if (after === undefined) this.#chargeOfCheckout.delete(charge.checkout_id);
          else this.#chargeOfCheckout.set(charge.checkout_id, charge.charge_id);
        }
        return;
      }
      case "withdrawals":
      case "destinations": {
        const record = (now ?? old) as Withdrawal | Destination;
        if (old === undefined || now === undefined)
          this.#track(name, key, record.seq, now !== undefined, [
            name,
            `${name}|${record.mode}|${record.organization_id}`,
          ]);
        return;
      }
      case "quotes":
      case "idempotency":
      case "events":
      case "deliveries": {
        const [before, after] = [
          old as EventRecord | Delivery | undefined,
          now as EventRecord | Delivery | undefined,
        ];
        if (before?.seq === after?.seq) return;
        for (const [record, present] of [
          [before, false],
          [after, true],
        ] as const) {
          if (record === undefined) continue;
          const places: string[] = [name];
          if (name === "events") places.push(`events|${record.object_id}`);
          if (name === "deliveries") places.push(`deliveries|${(record as Delivery).event_id}`);
          this.#track(name, key, record.seq, present, places);
        }
        return;
      }
      case "entries":
        if (now !== undefined && old === undefined)
          append(this.#entriesOf, (now as LedgerEntry).object_id, key as string);
        return;
      case "holdings":
        if (now !== undefined && old === undefined) {
          const { mode, organization_id } = now as Holdings;
          append(this.#holdingsOf, `${mode}|${organization_id}`, key as string);
        }
        return;
      case "endpoints":
        this.#endpointsInOrder = undefined;
        return;
      default:
        return;
    }
  }

  #track(name: CollectionName, key: Key, seq: number, present: boolean, places: readonly string[]): void {
    let keys = this.#bySeq.get(name);
    if (keys === undefined) this.#bySeq.set(name, (keys = new Map()));
    if (present) keys.set(seq, key);
    else keys.delete(seq);
    for (const place of places) {
      const list = this.list(place);
      if (present) list.add(seq);
      else {
        list.remove(seq);
        if (list.size === 0) this.#lists.delete(place);
      }
    }
  }

  /** The index of that name; an empty one if nothing was ever put there. */
  list(place: string): SortedList {
    let list = this.#lists.get(place);
    if (list === undefined) this.#lists.set(place, (list = new SortedList()));
    return list;
  }

  /** A page of records, newest first. */
  page<Name extends CollectionName>(
    name: Name,
    place: string,
    offset: number,
    limit: number,
  ): Collections[Name][] {
    const list = this.#lists.get(place);
    const keys = this.#bySeq.get(name);
    if (list === undefined || keys === undefined) return [];
    return list.pageFromEnd(offset, limit).map((seq) => this.get(name, keys.get(seq)!)!);
  }

  count(place: string): number {
    return this.#lists.get(place)?.size ?? 0;
  }

  /** Up to `limit` records of a collection that has a `seq`, oldest first. */
  oldestOf<Name extends CollectionName>(name: Name, limit: number): Collections[Name][] {
    const keys = this.#bySeq.get(name);
    return (this.#lists.get(name)?.pageFromStart(limit) ?? []).map((seq) => this.get(name, keys!.get(seq)!)!);
  }

  /** The same with their keys, for records that do not carry their own. */
  oldestEntries<Name extends CollectionName>(name: Name, limit: number): [Key, Collections[Name]][] {
    const keys = this.#bySeq.get(name);
    return (this.#lists.get(name)?.pageFromStart(limit) ?? []).map((seq) => {
      const key = keys!.get(seq)!;
      return [key, this.get(name, key)!];
    });
  }

  chargesWith(mode: string, organizationId: string, status?: ChargeStatus): string {
    return `charges|${mode}|${organizationId}${status === undefined ? "" : `|${status}`}`;
  }

  chargeOfCheckout(checkoutId: string): Charge | undefined {
    const id = this.#chargeOfCheckout.get(checkoutId);
    return id === undefined ? undefined : this.get("charges", id);
  }

  /** The ledger entries of a charge or withdrawal, oldest first. */
  entriesOf(objectId: string): LedgerEntry[] {
    return (this.#entriesOf.get(objectId) ?? []).map((key) => this.get("entries", key)!);
  }

  /** The accounts of an organization, in the order they were opened. */
  holdingsOf(mode: string, organizationId: string): Holdings[] {
    return (this.#holdingsOf.get(`${mode}|${organizationId}`) ?? []).map((key) => this.get("holdings", key)!);
  }

  /** All webhook endpoints, oldest first. */
  endpoints(): readonly Endpoint[] {
    return (this.#endpointsInOrder ??= [...this.tables.endpoints.values()].sort((a, b) => a.seq - b.seq));
  }

  dump(): StateDump {
    const collections = Object.fromEntries(
      COLLECTION_NAMES.map((name) => [name, [...(this.tables[name] as Map<Key, unknown>)]]),
    );
    return {
      version: 1,
      seq: this.seq,
      at: this.at,
      counters: { ...this.counters },
      collections: collections as unknown as StateDump["collections"],
    };
  }

  static from(dump: StateDump): State {
    const state = new State();
    state.seq = dump.seq;
    state.at = dump.at;
    Object.assign(state.counters, dump.counters);
    for (const name of COLLECTION_NAMES)
      for (const [key, record] of dump.collections[name] ?? []) state.#put(name, key, record as never);
    return state;
  }
}

function append(index: Map<string, string[]>, place: string, key: string): void {
  const keys = index.get(place);
  if (keys === undefined) index.set(place, [key]);
  else keys.push(key);
}
