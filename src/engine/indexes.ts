import type { ChargeStatus, Mode } from "../schema/common.js";
import type { CollectionName, Collections, Key } from "./records.js";
import { SortedList } from "./sorted-list.js";

/** By what the records of a collection are found besides their key. A place is the name of a list or group. */
interface Indexing<Item> {
  /** Lists by `seq`, in which a record stands as long as it is there. */
  readonly lists?: readonly ((record: Item) => string)[];
  /** A list like these, from which it moves to another as it changes. */
  readonly moving?: (record: Item) => string;
  /** Groups of few, each in the order its records came. */
  readonly group?: (record: Item) => string | null;
  /** Whether groups are made when somebody first asks for one, and kept from then on. */
  readonly isGroupedWhenAsked?: true;
}

/** Records that are numbered; the other collections are looked up by key, or read as a whole. */
export type IndexedName =
  | "quotes"
  | "charges"
  | "withdrawals"
  | "destinations"
  | "idempotency"
  | "holdings"
  | "entries"
  | "events"
  | "deliveries";

const INDEXES: { readonly [Name in IndexedName]: Indexing<Collections[Name]> } = {
  charges: {
    lists: [() => "charges", (charge) => chargesWith(charge.mode, charge.organization_id)],
    moving: (charge) => chargesWith(charge.mode, charge.organization_id, charge.status),
    group: (charge) => charge.checkout_id,
  },
  withdrawals: { lists: [() => "withdrawals", (one) => placeOfOwner("withdrawals", one)] },
  destinations: { lists: [() => "destinations", (one) => placeOfOwner("destinations", one)] },
  quotes: { lists: [() => "quotes"] },
  idempotency: { lists: [() => "idempotency"] },
  events: { lists: [() => "events"], group: (event) => event.object_id, isGroupedWhenAsked: true },
  deliveries: { lists: [() => "deliveries"], group: (delivery) => delivery.event_id },
  entries: { group: (entry) => entry.object_id },
  holdings: { group: (held) => `${held.mode}|${held.organization_id}` },
};

interface Owned {
  readonly mode: Mode;
  readonly organization_id: string;
}

/** The list of what an organization has in one mode. */
export function placeOfOwner(name: CollectionName, { mode, organization_id }: Owned): string {
  return `${name}|${mode}|${organization_id}`;
}

const chargePlaces: Record<Mode, Map<string, { [Status in ChargeStatus | ""]?: string }>> = {
  test: new Map(),
  live: new Map(),
};

/** The name of a list of charges. Each is made up once: it is looked up at every transition. */
export function chargesWith(mode: Mode, organizationId: string, status: ChargeStatus | "" = ""): string {
  let places = chargePlaces[mode].get(organizationId);
  if (places === undefined) chargePlaces[mode].set(organizationId, (places = {}));
  return (places[status] ??= `charges|${mode}|${organizationId}|${status}`);
}

/** The lists and groups of one collection. What is in them follows from its records, and is never saved. */
class CollectionIndex<Item extends { readonly seq: number }> {
  readonly #records: ReadonlyMap<Key, Item>;
  readonly #indexing: Indexing<Item>;
  readonly #lists = new Map<string, SortedList>();
  readonly #bySeq = new Map<number, Key>();
  #groups: Map<string, Group> | undefined;

  constructor(records: ReadonlyMap<Key, Item>, indexing: Indexing<Item>) {
    this.#records = records;
    this.#indexing = indexing;
    if (indexing.isGroupedWhenAsked !== true) this.#groups = new Map();
  }

  /** A record was put, replaced or taken away. */
  note(key: Key, before: Item | undefined, after: Item | undefined): void {
    const { moving } = this.#indexing;
    if (moving !== undefined) {
      const from = before && moving(before);
      const to = after && moving(after);
      if (from !== to) {
        if (before !== undefined && from !== undefined) this.#list(from).remove(before.seq);
        if (after !== undefined && to !== undefined) this.#list(to).add(after.seq);
      }
    }
    if (before?.seq === after?.seq) return;
    if (before !== undefined) this.#remove(key, before);
    if (after !== undefined) this.#add(key, after);
  }

  #add(key: Key, record: Item): void {
    const { lists, group } = this.#indexing;
    if (lists !== undefined) {
      this.#bySeq.set(record.seq, key);
      for (const placeOf of lists) this.#list(placeOf(record)).add(record.seq);
    }
    if (group !== undefined && this.#groups !== undefined) addTo(this.#groups, group(record), key);
  }

  #remove(key: Key, record: Item): void {
    const { lists, group } = this.#indexing;
    if (lists !== undefined) {
      this.#bySeq.delete(record.seq);
      for (const placeOf of lists) this.#list(placeOf(record)).remove(record.seq);
    }
    if (group !== undefined && this.#groups !== undefined) removeFrom(this.#groups, group(record), key);
  }

  #list(place: string): SortedList {
    let list = this.#lists.get(place);
    if (list === undefined) this.#lists.set(place, (list = new SortedList()));
    return list;
  }

  count(place: string): number {
    return this.#lists.get(place)?.size ?? 0;
  }

  /** Newest first. */
  page(place: string, offset: number, limit: number): Item[] {
    return this.numbered(this.#lists.get(place)?.pageFromEnd(offset, limit) ?? []);
  }

  /** Up to so many with their keys, oldest first. */
  oldest(place: string, limit: number): [Key, Item][] {
    const seqs = this.#lists.get(place)?.pageFromStart(limit) ?? [];
    return seqs.map((seq) => {
      const key = this.#bySeq.get(seq)!;
      return [key, this.#records.get(key)!];
    });
  }

  /** The records of those numbers. */
  numbered(seqs: readonly number[]): Item[] {
    return seqs.map((seq) => this.#records.get(this.#bySeq.get(seq)!)!);
  }

  /** Oldest first. */
  group(place: string): Item[] {
    const { group } = this.#indexing;
    if (this.#groups === undefined) {
      this.#groups = new Map();
      if (group !== undefined)
        for (const [key, record] of this.#records) addTo(this.#groups, group(record), key);
    }
    const keys = this.#groups.get(place) ?? [];
    return (Array.isArray(keys) ? keys : [keys]).map((key) => this.#records.get(key)!);
  }
}

export type Indexes = { readonly [Name in IndexedName]: CollectionIndex<Collections[Name]> };

/** The indexes over the tables of a state. */
export function indexesOf(tables: { readonly [Name in IndexedName]: ReadonlyMap<Key, Collections[Name]> }) {
  const of = <Name extends IndexedName>(name: Name) =>
    [name, new CollectionIndex<Collections[Name]>(tables[name], INDEXES[name])] as const;
  return Object.fromEntries((Object.keys(INDEXES) as IndexedName[]).map(of)) as unknown as Indexes;
}

/** The keys of a group; most have one, and an array of it would double what that costs. */
type Group = Key | Key[];

function addTo(groups: Map<string, Group>, place: string | null, key: Key): void {
  if (place === null) return;
  const keys = groups.get(place);
  if (keys === undefined) groups.set(place, key);
  else if (Array.isArray(keys)) keys.push(key);
  else groups.set(place, [keys, key]);
}

/** Mostly the oldest goes first. */
function removeFrom(groups: Map<string, Group>, place: string | null, key: Key): void {
  if (place === null) return;
  const keys = groups.get(place);
  if (Array.isArray(keys) && keys.length > 1) keys.splice(keys.indexOf(key), 1);
  else groups.delete(place);
}
