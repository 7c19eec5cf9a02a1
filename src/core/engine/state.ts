import type { Charge } from "../domain/charge-transition.js";
import { type Holdings, holdingsKey } from "../domain/ledger-postings.js";
import { add } from "../domain/money.js";
import { RULE_KINDS } from "../domain/rule-matching.js";
import type { LedgerAccount, Mode } from "../schema/common.js";
import { hasPattern } from "../schema/matcher-words.js";
import { COLLECTION_NAMES } from "../schema/records/collection-names.js";
import {
  addToGroup,
  ClosedEvents,
  createIndexes,
  type FieldCondition,
  type IndexedCollection,
  type Indexes,
  isIndexed,
  type KindFilter,
  type RecordPage,
  removeFromGroup,
} from "./indexes.js";
import { chargeSearchFilter } from "./match-fields.js";
import { sizeOfRecord } from "./record-sizes.js";
import {
  type Change,
  type CollectionName,
  type Collections,
  type Delivery,
  type Endpoint,
  type EventRecord,
  type FrozenState,
  freezeState,
  type LedgerEntry,
  type RecordKey,
  type StateDump,
  type StoredScenario,
  type Task,
  toStateDump,
} from "./records.js";
import { TaskQueue } from "./task-queue.js";

type Tables = { readonly [Name in CollectionName]: Map<RecordKey, Collections[Name]> };

/** Tables of immutable records and their indexes. Only `apply` changes them, by a whole Change. */
export class State {
  seq = 0;
  at = 0;
  /** Estimated size of all records. */
  bytes = 0;
  /** Estimated size of the events and their deliveries. */
  logBytes = 0;
  readonly counters: Record<string, number> = {};
  readonly tables: Tables;
  readonly tasks: TaskQueue;

  readonly #indexes: Indexes;
  readonly #closedEvents = new ClosedEvents();
  #endpointsInOrder: Endpoint[] | undefined;
  #activeScenarios: StoredScenario[] | undefined;
  #hasPatternRules: boolean | undefined;
  /** Task ids by `ref`; built on first use. */
  #tasksOf: Map<string, RecordKey[]> | undefined;
  #plannedCount = 0;
  /** Bank statement of the ledger; built on first use. */
  #statement: Statement | undefined;

  constructor() {
    const tables = Object.fromEntries(COLLECTION_NAMES.map((name) => [name, new Map()]));
    this.tables = tables as object as Tables;
    this.tasks = new TaskQueue((task) => this.tables.tasks.get(task.task_id) === task);
    this.#indexes = createIndexes(this.tables);
  }

  get<Name extends CollectionName>(name: Name, key: RecordKey): Collections[Name] | undefined {
    return this.tables[name].get(key);
  }

  apply(change: Change): void {
    this.seq = change.seq;
    this.at = change.at;
    for (const name in change.counters) this.counters[name] = change.counters[name]!;
    for (const [name, key, record] of change.puts) this.#put(name, key, record as never);
  }

  #put<Name extends CollectionName>(name: Name, key: RecordKey, record: Collections[Name] | null): void {
    const table = this.tables[name] as Map<RecordKey, Collections[Name]>;
    const old = table.get(key);
    if (record === null) table.delete(key);
    else table.set(key, record);
    let addedBytes = record === null ? 0 : sizeOfRecord(name, record);
    if (old !== undefined) addedBytes -= sizeOfRecord(name, old);
    this.bytes += addedBytes;
    if (name === "events" || name === "deliveries") this.logBytes += addedBytes;
    this.#index(name, key, old, record ?? undefined);
  }

  #index(name: CollectionName, key: RecordKey, before: unknown, after: unknown): void {
    switch (name) {
      case "tasks":
        this.#noteTask(before as Task | undefined, after as Task | undefined);
        return;
      case "endpoints":
        this.#endpointsInOrder = undefined;
        return;
      case "scenarios":
        this.#activeScenarios = undefined;
        if (
          (before as StoredScenario | undefined)?.scenario !== (after as StoredScenario | undefined)?.scenario
        )
          this.#hasPatternRules = undefined;
        return;
      case "entries":
        if (after !== undefined) this.#statement?.add(after as LedgerEntry);
        break;
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
    if (isIndexed(name)) this.#indexes[name].note(key, before as never, after as never);
  }

  #noteTask(before: Task | undefined, after: Task | undefined): void {
    if (after !== undefined) this.tasks.push(after);
    else if (before !== undefined) this.tasks.noteCancelled(before);
    this.#plannedCount += plannedCountOf(after) - plannedCountOf(before);
    if (this.#tasksOf === undefined) return;
    if (before !== undefined) removeFromGroup(this.#tasksOf, before.ref, before.task_id);
    if (after !== undefined) addToGroup(this.#tasksOf, after.ref, after.task_id);
  }

  /** Number of planned tasks, not counting attempts at deliveries. */
  get plannedTaskCount(): number {
    return this.#plannedCount;
  }

  tasksOf(id: string): Task[] {
    if (this.#tasksOf === undefined) {
      this.#tasksOf = new Map();
      for (const { ref, task_id } of this.tables.tasks.values()) addToGroup(this.#tasksOf, ref, task_id);
    }
    return (this.#tasksOf.get(id) ?? []).map((taskId) => this.tables.tasks.get(taskId)!);
  }

  /** Page of a list, newest first. */
  page<Name extends IndexedCollection>(
    name: Name,
    list: string,
    offset: number,
    limit: number,
  ): Collections[Name][] {
    return this.#indexes[name].page(list, offset, limit);
  }

  /** Page of the records of the selected kinds, newest first. */
  pageOfKinds<Name extends IndexedCollection>(
    name: Name,
    isSelected: KindFilter<Collections[Name]>,
    offset: number,
    limit: number,
  ): RecordPage<Collections[Name]> {
    return this.#indexes[name].pageOfKinds(isSelected, offset, limit);
  }

  /** All records of the selected kinds, newest first. */
  allOfKinds<Name extends IndexedCollection>(
    name: Name,
    isSelected: KindFilter<Collections[Name]>,
  ): Collections[Name][] {
    return this.pageOfKinds(name, isSelected, 0, Number.POSITIVE_INFINITY).items;
  }

  /** Charges with all of these values, oldest first. */
  chargesMatching(fields: readonly FieldCondition<Charge>[]): Charge[] {
    return this.#indexes.charges.matching(fields);
  }

  /** Charges that match each word, newest first. */
  chargesWithWords(words: string): Charge[] {
    return [...this.tables.charges.values()].filter(chargeSearchFilter(words)).sort((a, b) => b.seq - a.seq);
  }

  count(name: IndexedCollection, list: string = name): number {
    return this.#indexes[name].count(list);
  }

  /** Up to `limit` records of a collection with their keys, oldest first. */
  oldestOf<Name extends IndexedCollection>(name: Name, limit: number): [RecordKey, Collections[Name]][] {
    return this.#indexes[name].oldest(limit);
  }

  /** Events without an open delivery and with a `seq` up to `highestSeq`, oldest first. */
  oldestClosedEvents(limit: number, highestSeq = Number.POSITIVE_INFINITY): EventRecord[] {
    const seqs = this.#closedEvents.oldest(limit, highestSeq);
    return this.#indexes.events.bySeqs(seqs);
  }

  /** The events of a charge or withdrawal, newest first. */
  eventsOf(objectId: string): EventRecord[] {
    const ofObject = { name: "object_id", of: (event: EventRecord) => event.object_id, value: objectId };
    return this.#indexes.events.matching([ofObject]).reverse();
  }

  eventTypes(): string[] {
    const kinds = this.#indexes.events.kinds();
    return [...new Set(kinds.map(({ type }) => type))];
  }

  /** The deliveries of an event, newest first. */
  deliveriesOf(eventId: string): Delivery[] {
    const ofEvent = { name: "event_id", of: (delivery: Delivery) => delivery.event_id, value: eventId };
    return this.#indexes.deliveries.matching([ofEvent]).reverse();
  }

  chargeOfCheckout(checkoutId: string): Charge | undefined {
    const ofCheckout = { name: "checkout_id", of: (charge: Charge) => charge.checkout_id, value: checkoutId };
    return this.chargesMatching([ofCheckout])[0];
  }

  /** The ledger entries of a charge or withdrawal, oldest first. */
  entriesOf(objectId: string): LedgerEntry[] {
    const ofObject = { name: "object_id", of: (entry: LedgerEntry) => entry.object_id, value: objectId };
    return this.#indexes.entries.matching([ofObject]);
  }

  /** Page of the ledger with the balances after each entry, newest first. The first call reads the whole ledger. */
  statement(of: StatementFilter, offset: number, limit: number) {
    this.#statement ??= new Statement(this.tables.entries.values());
    return this.#statement.page(of, offset, limit);
  }

  /** Accounts of an organization in order of opening. */
  holdingsOf(mode: Mode, organizationId: string): Holdings[] {
    const ofOwner = {
      name: "owner",
      of: (held: Holdings) => `${held.mode}|${held.organization_id}`,
      value: `${mode}|${organizationId}`,
    };
    return this.#indexes.holdings.matching([ofOwner]);
  }

  /** All webhook endpoints, oldest first. */
  endpoints(): readonly Endpoint[] {
    return (this.#endpointsInOrder ??= [...this.tables.endpoints.values()].sort((a, b) => a.seq - b.seq));
  }

  /** The active scenarios, the last activated first. */
  activeScenarios(): readonly StoredScenario[] {
    return (this.#activeScenarios ??= [...this.tables.scenarios.values()]
      .filter(({ activated }) => activated > 0)
      .sort((a, b) => b.activated - a.activated));
  }

  /** True if a rule of a scenario, active or not, matches a pattern: each task may then take milliseconds. */
  get hasPatternRules(): boolean {
    return (this.#hasPatternRules ??= [...this.tables.scenarios.values()].some(({ scenario }) =>
      RULE_KINDS.some((kind) => hasPattern(scenario[kind])),
    ));
  }

  freeze(): FrozenState {
    return freezeState(this);
  }

  dump(): StateDump {
    return toStateDump(freezeState(this));
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

function plannedCountOf(task: Task | undefined): number {
  return task === undefined || task.kind === "attempt" ? 0 : 1;
}

/** An entry with the balances before and after it. */
interface StatementRow {
  readonly entry: LedgerEntry;
  readonly before: Balances;
  readonly after: Balances;
}
type Balances = { readonly [Account in LedgerAccount]?: string };

/** Selects the entries of a mode or of one account; without either, all entries. */
interface StatementFilter {
  readonly mode?: Mode | undefined;
  readonly account?: string | undefined;
}

const ALL = "";

/** Ledger as a bank statement: immutable entries with the balances they lead to. */
class Statement {
  readonly #rows = new Map<string, StatementRow[]>();

  constructor(entries: Iterable<LedgerEntry>) {
    for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) this.add(entry);
  }

  add(entry: LedgerEntry): void {
    const account = holdingsKey(entry.mode, entry.organization_id, entry.currency);
    const before = this.#list(account).at(-1)?.after ?? {};
    const after = { ...before };
    for (const { account: name, amount } of entry.postings)
      after[name] = after[name] === undefined ? amount : add(after[name], amount);
    const row = { entry, before, after };
    for (const key of [ALL, entry.mode, account]) this.#list(key).push(row);
  }

  /** Page of rows, newest first, with the total number of rows. */
  page({ mode, account }: StatementFilter, offset: number, limit: number) {
    const rows = this.#rows.get(account ?? mode ?? ALL) ?? [];
    const end = Math.max(0, rows.length - offset);
    return { total: rows.length, items: rows.slice(Math.max(0, end - limit), end).reverse() };
  }

  #list(key: string): StatementRow[] {
    let list = this.#rows.get(key);
    if (list === undefined) this.#rows.set(key, (list = []));
    return list;
  }
}
