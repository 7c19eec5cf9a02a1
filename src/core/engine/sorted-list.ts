const BLOCK_LIMIT = 1_024;

/**
 * Ascending numbers in blocks: adding, removing and reading a page cost the block size plus the number of blocks, not
 * the number of entries. A list of a million has a thousand blocks.
 */
export class SortedList {
  #blocks: number[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The smallest number; undefined if the list is empty. */
  get first(): number | undefined {
    return this.#blocks[0]?.[0];
  }

  get last(): number | undefined {
    return this.#blocks.at(-1)?.at(-1);
  }

  /** Index of the block a value belongs in. */
  #blockOf(value: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = this.#blocks[middle]!;
      if (block[block.length - 1]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(value: number): void {
    const newest = this.#blocks[this.#blocks.length - 1];
    if (newest === undefined) {
      // An array literal takes one slot; a push would reserve seventeen.
      this.#blocks = [[value]];
      this.#size = 1;
      return;
    }
    // Numbers mostly come in ascending order: a full last block is not split.
    if (value > newest[newest.length - 1]!) {
      if (newest.length < BLOCK_LIMIT) newest.push(value);
      else this.#blocks.push([value]);
      this.#size++;
      return;
    }
    const index = this.#blockOf(value);
    const block = this.#blocks[index]!;
    const slot = lowerBound(block, value);
    if (block[slot] === value) return;
    block.splice(slot, 0, value);
    if (block.length > BLOCK_LIMIT) this.#blocks.splice(index + 1, 0, block.splice(BLOCK_LIMIT / 2));
    this.#size++;
  }

  remove(value: number): void {
    if (this.#blocks.length === 0) return;
    const index = value === this.first ? 0 : this.#blockOf(value);
    const block = this.#blocks[index]!;
    const slot = lowerBound(block, value);
    if (block[slot] !== value) return;
    // Mostly the smallest number is removed, and V8 shifts without moving the others.
    if (slot === 0) block.shift();
    else block.splice(slot, 1);
    if (block.length === 0) this.#blocks.splice(index, 1);
    this.#size--;
  }

  /** Up to `limit` numbers, largest first, after skipping the `offset` largest. */
  pageFromEnd(offset: number, limit: number): number[] {
    const page: number[] = [];
    if (offset >= this.#size || limit <= 0) return page;
    let skip = offset;
    for (let index = this.#blocks.length - 1; index >= 0; index--) {
      const block = this.#blocks[index]!;
      if (skip >= block.length) {
        skip -= block.length;
        continue;
      }
      for (let slot = block.length - 1 - skip; slot >= 0; slot--) {
        page.push(block[slot]!);
        if (page.length === limit) return page;
      }
      skip = 0;
    }
    return page;
  }

  countAbove(value: number): number {
    let count = 0;
    for (let index = this.#blocks.length - 1; index >= 0; index--) {
      const block = this.#blocks[index]!;
      if (block[0]! <= value) return count + block.length - lowerBound(block, value + 1);
      count += block.length;
    }
    return count;
  }

  /** Up to `limit` numbers, smallest first; none above `highest`. */
  pageFromStart(limit: number, highest = Number.POSITIVE_INFINITY): number[] {
    const page: number[] = [];
    for (const block of this.#blocks)
      for (const value of block) {
        if (page.length >= limit || value > highest) return page;
        page.push(value);
      }
    return page;
  }
}

/** Page of several disjoint lists as if they were one. Binary search, so late pages cost no more than early ones. */
export function pageAcrossLists(lists: readonly SortedList[], offset: number, limit: number): number[] {
  if (lists.length === 1) return lists[0]!.pageFromEnd(offset, limit);
  let low = -1;
  let high = Math.max(0, ...lists.map(({ last = 0 }) => last));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const above = lists.reduce((sum, list) => sum + list.countAbove(middle), 0);
    if (above > offset) low = middle + 1;
    else high = middle;
  }
  return lists
    .flatMap((list) => list.pageFromEnd(list.countAbove(low), limit))
    .sort((a, b) => b - a)
    .slice(0, limit);
}

function lowerBound(block: readonly number[], value: number): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (block[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
