import type { Charge } from "../domain/charge.js";
import type { Holdings } from "../domain/ledger.js";
import type { Withdrawal } from "../domain/withdrawal.js";
import type { ChargeStatus, Mode } from "../schema/common.js";
import { COLLECTION_NAMES } from "../schema/records/names.js";
import { ClosedEvents } from "./closed-events.js";
import { type FrozenState, freeze, thaw } from "./frozen-state.js";
import type {
  Change,
  CollectionName,
  Collections,
  Delivery,
  Destination,
  Endpoint,
  EventRecord,
  IdempotentAnswer,
  Key,
  LedgerEntry,
  Quote,
  StateDump,
  Task,
} from "./records.js";
import { SortedList } from "./sorted-list.js";
import { TaskQueue } from "./tasks.js";

/** Records whose log is read by their number. */
type Numbered = Quote | IdempotentAnswer | EventRecord | Delivery;

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
  /** Few each: the numbers of an event's deliveries, and of an object's events once somebody has asked for them. */
  readonly #deliveriesOf = new Map<string, number[]>();
  #eventsOf: Map<string, number[]> | undefined;
  readonly #closedEvents = new ClosedEvents();
  readonly #entriesOf = new Map<string, string[]>();
  readonly #holdingsOf = new Map<string, string[]>();
  readonly #chargeOfCheckout = new Map<string, string>();
  readonly #chargePlaces: Record<Mode, Map<string, { [Status in ChargeStatus | ""]?: string }>> = {
    test: new Map(),
    live: new Map(),
  };
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
        const before = old as Charge | undefined;
        const after = now as Charge | undefined;
        const { mode, organization_id } = charge;
        if (before?.status !== after?.status) {
          if (before !== undefined)
            this.list(this.chargesWith(mode, organization_id, before.status)).remove(before.seq);
          if (after !== undefined)
            this.list(this.chargesWith(mode, organization_id, after.status)).add(after.seq);
        }
        if (before === undefined || after === undefined) {
          this.#track(name, key, charge.seq, after !== undefined, [
            this.chargesWith(mode, organization_id),
            "charges",
          ]);
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
        const before = old as Numbered | undefined;
        const after = now as Numbered | undefined;
        if (name === "deliveries")
          this.#noteDelivery(before as Delivery | undefined, after as Delivery | undefined);
        if (before?.seq === after?.seq) return;
        if (before !== undefined) this.#number(name, key, before, false);
        if (after !== undefined) this.#number(name, key, after, true);
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

  #noteDelivery(before: Delivery | undefined, after: Delivery | undefined): void {
    const event = this.tables.events.get((after ?? before)!.event_id);
    this.#closedEvents.noteDelivery(before, after, event);
  }

  #number(name: CollectionName, key: Key, record: Numbered, present: boolean): void {
    this.#track(name, key, record.seq, present, [name]);
    if (name === "events") {
      this.#closedEvents.noteEvent(record as EventRecord, present);
      if (this.#eventsOf !== undefined)
        trackOf(this.#eventsOf, (record as EventRecord).object_id, record.seq, present);
    } else if (name === "deliveries")
      trackOf(this.#deliveriesOf, (record as Delivery).event_id, record.seq, present);
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
    return this.#withSeqs(name, this.#lists.get(place)?.pageFromEnd(offset, limit));
  }

  #withSeqs<Name extends CollectionName>(name: Name, seqs: readonly number[] | undefined) {
    if (seqs === undefined) return [];
    const keys = this.#bySeq.get(name);
    return seqs.map((seq) => this.get(name, keys!.get(seq)!)!);
  }

  count(place: string): number {
    return this.#lists.get(place)?.size ?? 0;
  }

  /** The events of a charge or withdrawal, newest first. */
  eventsOf(objectId: string): EventRecord[] {
    if (this.#eventsOf === undefined) {
      this.#eventsOf = new Map();
      for (const { object_id, seq } of this.tables.events.values())
        trackOf(this.#eventsOf, object_id, seq, true);
    }
    return this.#withSeqs("events", this.#eventsOf.get(objectId)).reverse();
  }

  /** Up to so many events without an open delivery, oldest first. */
  oldestClosedEvents(limit: number): EventRecord[] {
    return this.#withSeqs("events", this.#closedEvents.oldest(limit));
  }

  /** The deliveries of an event, newest first. */
  deliveriesOf(eventId: string): Delivery[] {
    return this.#withSeqs("deliveries", this.#deliveriesOf.get(eventId)).reverse();
  }

  /** Up to `limit` records of a collection that has a `seq`, oldest first. */
  oldestOf<Name extends CollectionName>(name: Name, limit: number): Collections[Name][] {
    return this.#withSeqs(name, this.#lists.get(name)?.pageFromStart(limit));
  }

  /** The same with their keys, for records that do not carry their own. */
  oldestEntries<Name extends CollectionName>(name: Name, limit: number): [Key, Collections[Name]][] {
    const keys = this.#bySeq.get(name);
    return (this.#lists.get(name)?.pageFromStart(limit) ?? []).map((seq) => {
      const key = keys!.get(seq)!;
      return [key, this.get(name, key)!];
    });
  }

  /** The name of a list of charges. Each is made up once: it is looked up at every transition. */
  chargesWith(mode: Mode, organizationId: string, status: ChargeStatus | "" = ""): string {
    let places = this.#chargePlaces[mode].get(organizationId);
    if (places === undefined) this.#chargePlaces[mode].set(organizationId, (places = {}));
    return (places[status] ??= `charges|${mode}|${organizationId}|${status}`);
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

/** They come in ascending order, and mostly the oldest goes first. */
function trackOf(lists: Map<string, number[]>, place: string | null, seq: number, present: boolean): void {
  if (place === null) return;
  const list = lists.get(place);
  if (present) {
    if (list === undefined) lists.set(place, [seq]);
    else list.push(seq);
    return;
  }
  if (list === undefined) return;
  if (list.length === 1) lists.delete(place);
  else list.splice(list.indexOf(seq), 1);
}

function append(index: Map<string, string[]>, place: string, key: string): void {
  const keys = index.get(place);
  if (keys === undefined) index.set(place, [key]);
  else keys.push(key);
}
