import type { ChargeStatus, Mode } from "../schema/common.js";
import type { CollectionName, Collections, Delivery, EventRecord, RecordKey } from "./records.js";

/* Lists and groups of records, declared in INDEXES; they follow from the records and are never stored. */

interface Indexing<Item> {
  /** Lists of the record in order of `seq`. The first holds the whole collection and has its name. */
  readonly lists?: readonly ((record: Item) => string)[];
  /** Records of one kind share some fields, such as status and mode. A change can move a record to another kind. */
  readonly kind?: (record: Item) => string;
}

/** Selects kinds; called with one record of each kind. */
export type KindFilter<Item> = (record: Item) => boolean;

/** Collections of records with a `seq`; the others are looked up by key, or read as a whole. */
const INDEXES = {
  charges: {
    lists: [() => "charges", (charge) => chargeListName(charge.mode, charge.organization_id)],
    kind: (charge) => chargeListName(charge.mode, charge.organization_id, charge.status),
  },
  withdrawals: {
    lists: [() => "withdrawals", (withdrawal) => ownerListName("withdrawals", withdrawal)],
    kind: ({ mode, status }) => `${mode}|${status}`,
  },
  destinations: {
    lists: [() => "destinations", (destination) => ownerListName("destinations", destination)],
  },
  quotes: { lists: [() => "quotes"] },
  idempotency: { lists: [() => "idempotency"] },
  events: { lists: [() => "events"], kind: ({ mode, type }) => `${mode}|${type}` },
  deliveries: {
    lists: [() => "deliveries"],
    kind: ({ mode, event_type, status, attempts, webhook_id }) =>
      `${mode}|${event_type}|${status}|${attempts.length > 0}|${webhook_id}`,
  },
  entries: {},
  holdings: {},
} satisfies { readonly [Name in CollectionName]?: Indexing<Collections[Name]> };

export type IndexedCollection = keyof typeof INDEXES;

export function ownerListName(
  name: CollectionName,
  { mode, organization_id }: Pick<Collections["holdings"], "mode" | "organization_id">,
): string {
  return `${name}|${mode}|${organization_id}`;
}

export function chargeListName(mode: Mode, organizationId: string, status: ChargeStatus | "" = ""): string {
  return `charges|${mode}|${organizationId}|${status}`;
}

export interface FieldCondition<Item> {
  readonly name: string;
  readonly of: (record: Item) => string | null;
  readonly value: string;
}

interface Grouping<Item> extends Pick<FieldCondition<Item>, "of"> {
  readonly groups: Map<string, RecordKey[]>;
}

export interface RecordPage<Item> {
  readonly total: number;
  readonly items: Item[];
}

/** Maximum number of fields by which records are grouped; the oldest grouping is dropped. */
const GROUPINGS_MAX = 20;

/** Ascending sequence numbers. Most are added at the end, and removed at the beginning. */
class SeqList {
  readonly #seqs: number[] = [];

  get size(): number {
    return this.#seqs.length;
  }

  add(seq: number): void {
    const slot = this.#slotOf(seq);
    if (slot === this.#seqs.length) this.#seqs.push(seq);
    else if (this.#seqs[slot] !== seq) this.#seqs.splice(slot, 0, seq);
  }

  remove(seq: number): void {
    const slot = this.#slotOf(seq);
    if (this.#seqs[slot] !== seq) return;
    // `shift` moves no entries, as `splice` does.
    if (slot === 0) this.#seqs.shift();
    else this.#seqs.splice(slot, 1);
  }

  /** Largest first. */
  pageFromEnd(offset: number, limit: number): number[] {
    const end = Math.max(0, this.#seqs.length - offset);
    return this.#seqs.slice(Math.max(0, end - limit), end).reverse();
  }

  /** Smallest first; none above `highest`. */
  pageFromStart(limit: number, highest = Number.POSITIVE_INFINITY): number[] {
    return this.#seqs.slice(0, limit).filter((seq) => seq <= highest);
  }

  /** Index of the number, or of the place where it belongs. */
  #slotOf(seq: number): number {
    let low = 0;
    let high = this.#seqs.length;
    if (low === high || this.#seqs[high - 1]! < seq) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#seqs[middle]! < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class CollectionIndex<Item extends { readonly seq: number }> {
  readonly #name: string;
  readonly #records: ReadonlyMap<RecordKey, Item>;
  readonly #indexing: Indexing<Item>;
  readonly #lists = new Map<string, SeqList>();
  /** A kind without records is deleted. */
  readonly #kinds = new Map<string, SeqList>();
  readonly #keys = new Map<number, RecordKey>();
  /** Groupings by field name, each built on first use. */
  readonly #groupings = new Map<string, Grouping<Item>>();

  constructor(name: string, records: ReadonlyMap<RecordKey, Item>, indexing: Indexing<Item>) {
    this.#name = name;
    this.#records = records;
    this.#indexing = indexing;
  }

  /** Updates the index after a record was put, replaced or removed in the table. */
  note(key: RecordKey, before: Item | undefined, after: Item | undefined): void {
    const { lists = [], kind } = this.#indexing;
    const from = before && kind?.(before);
    const to = after && kind?.(after);
    if (from !== to) {
      if (from !== undefined) this.#leaveKind(from, before!.seq);
      if (to !== undefined) listIn(this.#kinds, to).add(after!.seq);
    }
    if (before?.seq === after?.seq) return;
    if (before !== undefined) {
      this.#keys.delete(before.seq);
      for (const nameOf of lists) listIn(this.#lists, nameOf(before)).remove(before.seq);
      for (const { of, groups } of this.#groupings.values()) removeFromGroup(groups, of(before), key);
    }
    if (after !== undefined) {
      if (lists.length > 0) this.#keys.set(after.seq, key);
      for (const nameOf of lists) listIn(this.#lists, nameOf(after)).add(after.seq);
      for (const { of, groups } of this.#groupings.values()) addToGroup(groups, of(after), key);
    }
  }

  #leaveKind(name: string, seq: number): void {
    const list = this.#kinds.get(name)!;
    list.remove(seq);
    if (list.size === 0) this.#kinds.delete(name);
  }

  #listAt(name: string): SeqList | undefined {
    return this.#lists.get(name) ?? this.#kinds.get(name);
  }

  count(name: string): number {
    return this.#listAt(name)?.size ?? 0;
  }

  /** Page of a list or kind, newest first. */
  page(name: string, offset: number, limit: number): Item[] {
    return this.bySeqs(this.#listAt(name)?.pageFromEnd(offset, limit) ?? []);
  }

  kinds(): Item[] {
    return this.bySeqs([...this.#kinds.values()].flatMap((list) => list.pageFromStart(1)));
  }

  /** Page of the records of the selected kinds, newest first. */
  pageOfKinds(isSelected: KindFilter<Item>, offset: number, limit: number): RecordPage<Item> {
    const examples = this.kinds();
    const lists = [...this.#kinds.values()].filter((_list, index) => isSelected(examples[index]!));
    const total = lists.reduce((sum, { size }) => sum + size, 0);
    if (lists.length === 1) return { total, items: this.bySeqs(lists[0]!.pageFromEnd(offset, limit)) };
    const newest = lists.flatMap((list) => list.pageFromEnd(0, offset + limit)).sort((a, b) => b - a);
    return { total, items: this.bySeqs(newest.slice(offset, offset + limit)) };
  }

  /** Records with their keys, oldest first. */
  oldest(limit: number): [RecordKey, Item][] {
    const seqs = this.#lists.get(this.#name)?.pageFromStart(limit) ?? [];
    return this.bySeqs(seqs).map((record) => [this.#keys.get(record.seq)!, record]);
  }

  bySeqs(seqs: readonly number[]): Item[] {
    return seqs.map((seq) => this.#records.get(this.#keys.get(seq)!)!);
  }

  /** The records that have all of the values, oldest first. Scans the smallest group. */
  matching(fields: readonly FieldCondition<Item>[]): Item[] {
    const groups = fields.map((field) => this.#grouping(field).get(field.value) ?? []);
    const [smallest = []] = groups.sort((a, b) => a.length - b.length);
    return smallest
      .map((key) => this.#records.get(key)!)
      .filter((record) => fields.every(({ of, value }) => of(record) === value));
  }

  #grouping({ name, of }: FieldCondition<Item>): Map<string, RecordKey[]> {
    let grouping = this.#groupings.get(name);
    if (grouping === undefined) {
      grouping = { of, groups: new Map() };
      for (const [key, record] of this.#records) addToGroup(grouping.groups, of(record), key);
      if (this.#groupings.size === GROUPINGS_MAX)
        this.#groupings.delete(this.#groupings.keys().next().value!);
      this.#groupings.set(name, grouping);
    }
    return grouping.groups;
  }
}

function listIn(lists: Map<string, SeqList>, name: string): SeqList {
  let list = lists.get(name);
  if (list === undefined) lists.set(name, (list = new SeqList()));
  return list;
}

type Tables = { readonly [Name in IndexedCollection]: ReadonlyMap<RecordKey, Collections[Name]> };

export type Indexes = { readonly [Name in IndexedCollection]: CollectionIndex<Collections[Name]> };

/** @param tables the tables of a state, still empty */
export function createIndexes(tables: Tables): Indexes {
  const entries = Object.entries(INDEXES).map(([name, indexing]) => {
    const records = tables[name as IndexedCollection] as ReadonlyMap<RecordKey, never>;
    return [name, new CollectionIndex(name, records, indexing as Indexing<never>)];
  });
  return Object.fromEntries(entries) as Indexes;
}

export function isIndexed(name: CollectionName): name is IndexedCollection {
  return name in INDEXES;
}

/** Records are grouped in the order of their creation. */
export function addToGroup(groups: Map<string, RecordKey[]>, name: string | null, key: RecordKey): void {
  if (name === null) return;
  const keys = groups.get(name);
  if (keys === undefined) groups.set(name, [key]);
  else keys.push(key);
}

export function removeFromGroup(groups: Map<string, RecordKey[]>, name: string | null, key: RecordKey): void {
  if (name === null) return;
  const keys = groups.get(name)!;
  keys.splice(keys.indexOf(key), 1);
  if (keys.length === 0) groups.delete(name);
}

/** Events without an open delivery: the log may remove them. */
export class ClosedEvents {
  readonly #seqs = new SeqList();
  /** Number of open deliveries by event id. */
  readonly #openCounts = new Map<string, number>();

  oldest(limit: number, highestSeq: number): number[] {
    return this.#seqs.pageFromStart(limit, highestSeq);
  }

  noteEvent({ event_id, seq }: EventRecord, present: boolean): void {
    if (!present) this.#seqs.remove(seq);
    else if (!this.#openCounts.has(event_id)) this.#seqs.add(seq);
  }

  /** @param event the delivery's event, if it exists */
  noteDelivery(
    before: Delivery | undefined,
    after: Delivery | undefined,
    event: EventRecord | undefined,
  ): void {
    const change = openCount(after) - openCount(before);
    if (change === 0) return;
    const { event_id } = (after ?? before)!;
    const open = (this.#openCounts.get(event_id) ?? 0) + change;
    if (open === 0) this.#openCounts.delete(event_id);
    else this.#openCounts.set(event_id, open);
    if (event === undefined) return;
    if (open === 0) this.#seqs.add(event.seq);
    else if (open === change) this.#seqs.remove(event.seq);
  }
}

function openCount(delivery: Delivery | undefined): number {
  return delivery?.status === "pending" ? 1 : 0;
}
