const BLOCK_LIMIT = 1_024;

/**
 * Ascending numbers in blocks, so that adding, removing and reading a page anywhere cost the block's size and
 * the number of blocks, not the number of entries: a list of a million is a thousand blocks.
 */
export class SortedList {
  #blocks: number[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The smallest; undefined of an empty list. */
  get first(): number | undefined {
    return this.#blocks[0]?.[0];
  }

  get last(): number | undefined {
    return this.#blocks.at(-1)?.at(-1);
  }

  /** The block a value is in or belongs into. */
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
      // A push would make room for seventeen.
      this.#blocks = [[value]];
      this.#size = 1;
      return;
    }
    // Numbers mostly come in ascending order: a full last block is left full and a new one begun.
    if (value > newest[newest.length - 1]!) {
      if (newest.length < BLOCK_LIMIT) newest.push(value);
      else this.#blocks.push([value]);
      this.#size++;
      return;
    }
    const index = this.#blockOf(value);
    const block = this.#blocks[index]!;
    const place = lowerBound(block, value);
    if (block[place] === value) return;
    block.splice(place, 0, value);
    if (block.length > BLOCK_LIMIT) this.#blocks.splice(index + 1, 0, block.splice(BLOCK_LIMIT / 2));
    this.#size++;
  }

  remove(value: number): void {
    if (this.#blocks.length === 0) return;
    const index = value === this.first ? 0 : this.#blockOf(value);
    const block = this.#blocks[index]!;
    const place = lowerBound(block, value);
    if (block[place] !== value) return;
    // The oldest mostly goes first, and V8 takes the first away without moving the others.
    if (place === 0) block.shift();
    else block.splice(place, 1);
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
      for (let place = block.length - 1 - skip; place >= 0; place--) {
        page.push(block[place]!);
        if (page.length === limit) return page;
      }
      skip = 0;
    }
    return page;
  }

  /** How many are larger. */
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

/**
 * The same page of several lists that have no number in common, as if they were one. Where it begins is found by halves:
 * it costs the lists and the page, not what is before it.
 */
export function pageOfMany(lists: readonly SortedList[], offset: number, limit: number): number[] {
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
