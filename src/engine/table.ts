import type { Key } from "./records.js";

/**
 * The records of a collection, in the order they came. One that is hidden is gone for whoever looks, but its place is
 * kept until it is known whether it is gone for good.
 */
export class Table<Item> extends Map<Key, Item> {
  /** There is `undefined` under these. */
  readonly #hidden = new Set<Key>();

  hide(key: Key): void {
    super.set(key, undefined as Item);
    this.#hidden.add(key);
  }

  /** It is there again, in its place. */
  unhide(key: Key, item: Item): void {
    this.#hidden.delete(key);
    super.set(key, item);
  }

  /** What is hidden is gone for good. */
  forgetHidden(): void {
    for (const key of this.#hidden) super.delete(key);
    this.#hidden.clear();
  }

  /**
   * As `set`, also where that key is hidden: it comes last then, as what is new does.
   *
   * @returns in that case the order there was, for `putBack`
   */
  put(key: Key, item: Item): readonly Key[] | undefined {
    const order = this.#hidden.delete(key) ? [...super.keys()] : undefined;
    if (order !== undefined) super.delete(key);
    super.set(key, item);
    return order;
  }

  /** Hides it where it was before `put`. */
  putBack(key: Key, order: readonly Key[]): void {
    const items = new Map(super.entries());
    super.clear();
    for (const one of order) super.set(one, items.get(one)!);
    this.hide(key);
  }

  /** Up to so many, oldest first. */
  oldest(limit: number): [Key, Item][] {
    return first(this.entries(), limit);
  }

  /** A copy of the keys and records of this moment. */
  entriesNow(): { readonly keys: Key[]; readonly records: Item[] } {
    return { keys: [...this.keys()], records: [...this.values()] };
  }

  override has(key: Key): boolean {
    return super.has(key) && !this.#hidden.has(key);
  }

  override get size(): number {
    return super.size - this.#hidden.size;
  }

  override keys(): MapIterator<Key> {
    return this.#hidden.size === 0 ? super.keys() : this.#shown(([key]) => key);
  }

  override values(): MapIterator<Item> {
    return this.#hidden.size === 0 ? super.values() : this.#shown(([, item]) => item);
  }

  override entries(): MapIterator<[Key, Item]> {
    return this.#hidden.size === 0 ? super.entries() : this.#shown((entry) => entry);
  }

  override [Symbol.iterator](): MapIterator<[Key, Item]> {
    return this.entries();
  }

  override forEach(visit: (item: Item, key: Key, table: Map<Key, Item>) => void): void {
    for (const [key, item] of this.entries()) visit(item, key, this);
  }

  *#shown<Shown>(of: (entry: [Key, Item]) => Shown): MapIterator<Shown> {
    for (const entry of super.entries()) if (!this.#hidden.has(entry[0])) yield of(entry);
  }
}

/** Up to so many of them. */
export function first<Item>(items: Iterable<Item>, limit: number): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (found.length >= limit) break;
    found.push(item);
  }
  return found;
}
