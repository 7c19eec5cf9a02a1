import type { ChargeStatus, Mode } from "../schema/common.js";
import { ByNumber } from "./by-number.js";
import type { CollectionName, Collections, Key } from "./records.js";
import { pageOfMany, SortedList } from "./sorted-list.js";
import type { Table } from "./table.js";

/** By what the records of a collection are found besides their key. A place is the name of a list or group. */
interface Indexing<Item> {
  /** Lists by `seq`, in which a record stands as long as it is there. */
  readonly lists?: readonly ((record: Item) => string)[];
  /** A list like these, from which it moves to another as it changes: all in one are alike in what may be asked of them. */
  readonly moving?: (record: Item) => string;
  /** Groups of few, each in the order its records came. */
  readonly group?: (record: Item) => string | null;
}

/** What those that are looked for have in common; of a list, its first record is asked. */
export type Alike<Item> = (record: Item) => boolean;

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
  },
  withdrawals: {
    lists: [() => "withdrawals", (one) => placeOfOwner("withdrawals", one)],
    moving: ({ mode, status }) => `${mode}|${status}`,
  },
  destinations: { lists: [() => "destinations", (one) => placeOfOwner("destinations", one)] },
  quotes: { lists: [() => "quotes"] },
  idempotency: { lists: [() => "idempotency"] },
  events: { lists: [() => "events"], moving: ({ mode, type }) => eventsWith(mode, type) },
  deliveries: {
    lists: [() => "deliveries"],
    moving: ({ mode, event_type, status, attempts, webhook_id, mishap }) =>
      `${mode}|${event_type}|${status}|${attempts.length > 0}|${webhook_id}|${mishap?.by_hand ?? false}`,
    group: (delivery) => delivery.event_id,
  },
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

const eventPlaces: Record<Mode, Map<string, string>> = { test: new Map(), live: new Map() };
/** Types of events are whatever somebody calls them. */
const MOST_TYPES = 1_000;

/** The name of a list of events. Each is made up once, too: an event comes, and another goes, at every transition. */
function eventsWith(mode: Mode, type: string): string {
  const places = eventPlaces[mode];
  let place = places.get(type);
  if (place === undefined) {
    if (places.size === MOST_TYPES) places.clear();
    places.set(type, (place = `${mode}|${type}`));
  }
  return place;
}

/** In the place of maps that nothing is ever put into: an empty one takes 180 bytes. */
const NONE: Map<unknown, unknown> = new Map();

function mapIf<MapKey, Value>(isUsed: boolean): Map<MapKey, Value> {
  return isUsed ? new Map() : (NONE as Map<MapKey, Value>);
}

/** The lists and groups of one collection. What is in them follows from its records, and is never saved. */
class CollectionIndex<Item extends { readonly seq: number }> {
  readonly #records: Table<Item>;
  readonly #indexing: Indexing<Item>;
  readonly #lists: Map<string, SortedList>;
  readonly #moving: Map<string, SortedList>;
  readonly #bySeq = new ByNumber<Key>();
  readonly #groups: Map<string, Group>;
  /** Further groups, by name, made when somebody first asked for one. */
  #asked: Map<string, Grouping<Item>> = mapIf(false);

  constructor(records: Table<Item>, indexing: Indexing<Item>) {
    this.#records = records;
    this.#indexing = indexing;
    const { lists, moving, group } = indexing;
    this.#lists = mapIf(lists !== undefined);
    this.#moving = mapIf(moving !== undefined);
    this.#groups = mapIf(group !== undefined);
  }

  /**
   * A record was put, replaced or taken away.
   *
   * @param isBack whether it was there before, and comes back to its place
   */
  note(key: Key, before: Item | undefined, after: Item | undefined, isBack = false): void {
    const { moving } = this.#indexing;
    if (moving !== undefined) {
      const from = before && moving(before);
      const to = after && moving(after);
      if (from !== to) {
        if (before !== undefined && from !== undefined) this.#leave(from, before.seq);
        if (after !== undefined && to !== undefined) listIn(this.#moving, to).add(after.seq);
      }
    }
    if (before?.seq === after?.seq) return;
    if (before !== undefined) this.#remove(key, before);
    if (after !== undefined) this.#add(key, after, isBack);
  }

  #add(key: Key, record: Item, isBack: boolean): void {
    const { lists, group } = this.#indexing;
    const add = isBack ? this.#addInOrder : addTo;
    if (lists !== undefined) {
      this.#bySeq.set(record.seq, key);
      for (const placeOf of lists) listIn(this.#lists, placeOf(record)).add(record.seq);
    }
    if (group !== undefined) add(this.#groups, group(record), key);
    for (const { of, groups } of this.#asked.values()) add(groups, of(record), key);
  }

  readonly #addInOrder: typeof addTo = (groups, place, key) =>
    addInOrder(groups, place, key, (one) => this.#records.get(one)!.seq);

  #remove(key: Key, record: Item): void {
    const { lists, group } = this.#indexing;
    if (lists !== undefined) {
      this.#bySeq.delete(record.seq);
      for (const placeOf of lists) listIn(this.#lists, placeOf(record)).remove(record.seq);
    }
    if (group !== undefined) removeFrom(this.#groups, group(record), key);
    for (const { of, groups } of this.#asked.values()) removeFrom(groups, of(record), key);
  }

  /** An empty list has no record that could be asked what it is a list of. */
  #leave(place: string, seq: number): void {
    const list = this.#moving.get(place)!;
    list.remove(seq);
    if (list.size === 0) this.#moving.delete(place);
  }

  #listAt(place: string): SortedList | undefined {
    return this.#lists.get(place) ?? this.#moving.get(place);
  }

  count(place: string): number {
    return this.#listAt(place)?.size ?? 0;
  }

  /** Newest first. */
  page(place: string, offset: number, limit: number): Item[] {
    return this.numbered(this.#listAt(place)?.pageFromEnd(offset, limit) ?? []);
  }

  /** One record of each list that records move to. */
  kinds(): Item[] {
    return this.numbered([...this.#moving.values()].map((list) => list.first!));
  }

  /** Those alike so, newest first, and how many there are. */
  found(isMeant: Alike<Item>, offset: number, limit: number): Found<Item> {
    const lists = [...this.#moving.values()].filter((list) => isMeant(this.numbered([list.first!])[0]!));
    const items = this.numbered(pageOfMany(lists, offset, limit));
    return { total: lists.reduce((sum, list) => sum + list.size, 0), items };
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
    return this.#those(keysOf(this.#groups.get(place)));
  }

  /** Those that have all of these, oldest first: as many are looked at as have the rarest of them. */
  having(fields: readonly Having<Item>[]): Item[] {
    const [rarest] = fields.map((field) => this.#keysHaving(field)).sort((a, b) => a.length - b.length);
    return this.#those(rarest).filter((record) => fields.every(({ of, value }) => of(record) === value));
  }

  /** What few ask for is grouped when somebody does, and kept so from then on. */
  #keysHaving({ name, of, value }: Having<Item>): readonly Key[] {
    let asked = this.#asked.get(name);
    if (asked === undefined) {
      asked = { of, groups: new Map() };
      for (const [key, record] of this.#records) addTo(asked.groups, of(record), key);
      if (this.#asked === NONE) this.#asked = new Map();
      if (this.#asked.size === MOST_ASKED) this.#asked.delete(this.#asked.keys().next().value!);
      this.#asked.set(name, asked);
    }
    return keysOf(asked.groups.get(value));
  }

  #those(keys: readonly Key[] = []): Item[] {
    return keys.map((key) => this.#records.get(key)!);
  }
}

/** Whoever asks by ever other names has the first made again. */
const MOST_ASKED = 20;

/** A field that never changes, and what it holds. */
export interface Having<Item> {
  readonly name: string;
  readonly of: (record: Item) => string | null;
  readonly value: string;
}

interface Grouping<Item> extends Pick<Having<Item>, "of"> {
  readonly groups: Map<string, Group>;
}

/** A page of what was found, and how many there are on all pages. */
export interface Found<Item> {
  readonly total: number;
  readonly items: Item[];
}

function listIn(lists: Map<string, SortedList>, place: string): SortedList {
  let list = lists.get(place);
  if (list === undefined) lists.set(place, (list = new SortedList()));
  return list;
}

type Tables = { readonly [Name in IndexedName]: Table<Collections[Name]> };

/** The indexes over the tables of a state, each made with the first record: most namespaces are small. */
export class Indexes {
  readonly #tables: Tables;
  readonly #made: { [Name in IndexedName]?: CollectionIndex<Collections[Name]> } = {};

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  of<Name extends IndexedName>(name: Name): CollectionIndex<Collections[Name]> {
    const made: { [One in Name]?: CollectionIndex<Collections[One]> } = this.#made;
    return (made[name] ??= new CollectionIndex<Collections[Name]>(this.#tables[name], INDEXES[name]));
  }
}

export function isIndexed(name: CollectionName): name is IndexedName {
  return name in INDEXES;
}

/** The keys of a group; most have one, and an array of it would double what that costs. */
export type Group = Key | Key[];

export function keysOf(group: Group = []): readonly Key[] {
  return Array.isArray(group) ? group : [group];
}

export function addTo(groups: Map<string, Group>, place: string | null, key: Key): void {
  if (place === null) return;
  const keys = groups.get(place);
  if (keys === undefined) groups.set(place, key);
  else if (Array.isArray(keys)) keys.push(key);
  else groups.set(place, [keys, key]);
}

/** To its place among those numbered so: it was there before. */
export function addInOrder(
  groups: Map<string, Group>,
  place: string | null,
  key: Key,
  numberOf: (key: Key) => number,
): void {
  if (place === null) return;
  const keys = [...keysOf(groups.get(place)), key].sort((a, b) => numberOf(a) - numberOf(b));
  groups.set(place, keys.length === 1 ? key : keys);
}

/** Mostly the oldest goes first. */
export function removeFrom(groups: Map<string, Group>, place: string | null, key: Key): void {
  if (place === null) return;
  const keys = groups.get(place);
  if (Array.isArray(keys) && keys.length > 1) keys.splice(keys.indexOf(key), 1);
  else groups.delete(place);
}
