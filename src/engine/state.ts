import type { Charge } from "../domain/charge.js";
import type { Holdings } from "../domain/ledger.js";
import type { Mode } from "../schema/common.js";
import { COLLECTION_NAMES } from "../schema/records/names.js";
import { ClosedEvents } from "./closed-events.js";
import { type FrozenState, freeze, thaw } from "./frozen-state.js";
import { type IndexedName, type Indexes, indexesOf } from "./indexes.js";
import type {
  Change,
  CollectionName,
  Collections,
  Delivery,
  Endpoint,
  EventRecord,
  Key,
  LedgerEntry,
  StateDump,
  Task,
} from "./records.js";
import { TaskQueue } from "./tasks.js";

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

  readonly #indexes: Indexes;
  readonly #closedEvents = new ClosedEvents();
  #endpointsInOrder: Endpoint[] | undefined;

  constructor() {
    this.tables = Object.fromEntries(COLLECTION_NAMES.map((name) => [name, new Map()])) as unknown as Tables;
    this.tasks = new TaskQueue((task) => this.tables.tasks.get(task.task_id) === task);
    this.#indexes = indexesOf(this.tables);
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

  #index(name: CollectionName, key: Key, before: unknown, after: unknown): void {
    switch (name) {
      case "tasks":
        if (after !== undefined) this.tasks.push(after as Task);
        else if (before !== undefined) this.tasks.noteCancelled();
        return;
      case "endpoints":
        this.#endpointsInOrder = undefined;
        return;
      case "events":
        if ((before === undefined) !== (after === undefined))
          this.#closedEvents.noteEvent((after ?? before) as EventRecord, after !== undefined);
        break;
      case "deliveries": {
        const { event_id } = (after ?? before) as Delivery;
        const event = this.tables.events.get(event_id);
        this.#closedEvents.noteDelivery(before as Delivery | undefined, after as Delivery | undefined, event);
      }
    }
    const indexes: Partial<Indexes> = this.#indexes;
    indexes[name as IndexedName]?.note(key, before as never, after as never);
  }

  /** A page of records, newest first. */
  page<Name extends IndexedName>(
    name: Name,
    place: string,
    offset: number,
    limit: number,
  ): Collections[Name][] {
    return this.#indexes[name].page(place, offset, limit);
  }

  /** How many records of a collection there are, or in one of its lists. */
  count(name: IndexedName, place: string = name): number {
    return this.#indexes[name].count(place);
  }

  /** Up to `limit` records of a collection with their keys, oldest first. */
  oldestOf<Name extends IndexedName>(name: Name, limit: number): [Key, Collections[Name]][] {
    return this.#indexes[name].oldest(name, limit);
  }

  /** Up to so many events without an open delivery, oldest first; none with a higher number than that. */
  oldestClosedEvents(limit: number, highestSeq = Number.POSITIVE_INFINITY): EventRecord[] {
    const seqs = this.#closedEvents.oldest(limit).filter((seq) => seq <= highestSeq);
    return this.#indexes.events.numbered(seqs);
  }

  /** The events of a charge or withdrawal, newest first. */
  eventsOf(objectId: string): EventRecord[] {
    return this.#indexes.events.group(objectId).reverse();
  }

  /** The deliveries of an event, newest first. */
  deliveriesOf(eventId: string): Delivery[] {
    return this.#indexes.deliveries.group(eventId).reverse();
  }

  chargeOfCheckout(checkoutId: string): Charge | undefined {
    return this.#indexes.charges.group(checkoutId)[0];
  }

  /** The ledger entries of a charge or withdrawal, oldest first. */
  entriesOf(objectId: string): LedgerEntry[] {
    return this.#indexes.entries.group(objectId);
  }

  /** The accounts of an organization, in the order they were opened. */
  holdingsOf(mode: Mode, organizationId: string): Holdings[] {
    return this.#indexes.holdings.group(`${mode}|${organizationId}`);
  }

  /** All webhook endpoints, oldest first. */
  endpoints(): readonly Endpoint[] {
    return (this.#endpointsInOrder ??= [...this.tables.endpoints.values()].sort((a, b) => a.seq - b.seq));
  }

  /** As it is now, to be written later. */
  freeze(): FrozenState {
    return freeze(this);
  }

  dump(): StateDump {
    return thaw(freeze(this));
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
