import type { RecordKey } from "./records.js";

/** Records of a collection in insertion order. A removal that can be undone hides the record and keeps its place. */
export class RecordTable<Item> extends Map<RecordKey, Item> {
  /** Keys of hidden records, whose values in the map are undefined. */
  readonly #hidden = new Set<RecordKey>();

  hide(key: RecordKey): void {
    super.set(key, undefined as Item);
    this.#hidden.add(key);
  }

  /** Restores a hidden record at its former position. */
  unhide(key: RecordKey, item: Item): void {
    this.#hidden.delete(key);
    super.set(key, item);
  }

  deleteHidden(): void {
    for (const key of this.#hidden) super.delete(key);
    this.#hidden.clear();
  }

  /**
   * As `set`, but moves a hidden key to the end.
   *
   * @returns the earlier order of keys if the key was hidden, for `putBack`
   */
  put(key: RecordKey, item: Item): readonly RecordKey[] | undefined {
    const order = this.#hidden.delete(key) ? [...super.keys()] : undefined;
    if (order !== undefined) super.delete(key);
    super.set(key, item);
    return order;
  }

  /** Undoes `put` of a hidden key. */
  putBack(key: RecordKey, order: readonly RecordKey[]): void {
    const items = new Map(super.entries());
    super.clear();
    for (const each of order) super.set(each, items.get(each)!);
    this.hide(key);
  }

  oldest(limit: number): [RecordKey, Item][] {
    const found: [RecordKey, Item][] = [];
    for (const entry of this.entries()) {
      if (found.length >= limit) break;
      found.push(entry);
    }
    return found;
  }

  override has(key: RecordKey): boolean {
    return super.has(key) && !this.#hidden.has(key);
  }

  override get size(): number {
    return super.size - this.#hidden.size;
  }

  override keys(): MapIterator<RecordKey> {
    return this.#hidden.size === 0 ? super.keys() : this.#visible(([key]) => key);
  }

  override values(): MapIterator<Item> {
    return this.#hidden.size === 0 ? super.values() : this.#visible(([, item]) => item);
  }

  override entries(): MapIterator<[RecordKey, Item]> {
    return this.#hidden.size === 0 ? super.entries() : this.#visible((entry) => entry);
  }

  override [Symbol.iterator](): MapIterator<[RecordKey, Item]> {
    return this.entries();
  }

  override forEach(visit: (item: Item, key: RecordKey, table: Map<RecordKey, Item>) => void): void {
    for (const [key, item] of this.entries()) visit(item, key, this);
  }

  *#visible<Result>(of: (entry: [RecordKey, Item]) => Result): MapIterator<Result> {
    for (const entry of super.entries()) if (!this.#hidden.has(entry[0])) yield of(entry);
  }
}
