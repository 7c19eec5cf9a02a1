import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageAcrossLists, SortedList } from "../../src/core/engine/sorted-list.js";

/** The same list as a plain ascending array. */
class PlainList {
  readonly values: number[] = [];

  add(value: number): void {
    if (!this.values.includes(value)) this.values.push(value);
    this.values.sort((a, b) => a - b);
  }

  remove(value: number): void {
    const place = this.values.indexOf(value);
    if (place !== -1) this.values.splice(place, 1);
  }
}

function agree(list: SortedList, { values }: PlainList, offset: number, limit: number): void {
  expect(list.size).toBe(values.length);
  expect(list.pageFromEnd(offset, limit)).toEqual(values.toReversed().slice(offset, offset + limit));
  expect(list.pageFromStart(limit)).toEqual(values.slice(0, limit));
}

function filled(count: number): [SortedList, PlainList] {
  const list = new SortedList();
  const plain = new PlainList();
  // Even numbers, so that there is room for others anywhere.
  for (let index = 0; index < count; index++) {
    list.add(index * 2);
    plain.values.push(index * 2);
  }
  return [list, plain];
}

describe("a sorted list", () => {
  it("agrees with a plain array, in one block and in many, for any additions and removals", () => {
    const countArb = fc.constantFrom(0, 30, 1_023, 1_024, 1_025, 2_048, 3_500);
    const stepArb = fc.tuple(fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(
        countArb,
        fc.array(stepArb, { maxLength: 100 }),
        fc.array(fc.tuple(fc.nat(3_600), fc.nat(1_300)), { minLength: 1, maxLength: 4 }),
        (count, steps, pages) => {
          const [list, plain] = filled(count);
          for (const [isAdded, at] of steps)
            for (const each of [list, plain])
              each[isAdded ? "add" : "remove"](Math.floor(at * Math.max(30, count) * 2));
          for (const [offset, limit] of pages) agree(list, plain, count === 0 ? offset % 70 : offset, limit);
        },
      ),
    );
  });

  it("is correct after thousands of insertions in one place", () => {
    const [list, plain] = filled(2_000);
    for (let value = 1; value < 2_000; value += 2) {
      list.add(value);
      plain.values.push(value);
    }
    plain.values.sort((a, b) => a - b);
    agree(list, plain, 0, 5_000);
    agree(list, plain, 1_500, 1_100);
  });

  it("can be emptied from either end and filled again", () => {
    for (const fromTheEnd of [true, false]) {
      const [list] = filled(3_000);
      for (let index = 0; index < 3_000; index++) list.remove((fromTheEnd ? 2_999 - index : index) * 2);
      expect([list.size, list.pageFromEnd(0, 10), list.pageFromStart(10)]).toEqual([0, [], []]);
      list.add(7);
      list.add(5);
      expect(list.pageFromEnd(0, 10)).toEqual([7, 5]);
    }
  });

  it("holds a number once, and ignores the removal of an absent one", () => {
    const list = new SortedList();
    list.remove(1);
    for (const value of [3, 3, 1, 3]) list.add(value);
    list.remove(2);
    expect([list.size, list.pageFromEnd(0, 10)]).toEqual([2, [3, 1]]);
  });

  it("gives an empty page beyond its end and for a limit of zero", () => {
    const [list] = filled(5);
    expect([list.pageFromEnd(5, 10), list.pageFromEnd(0, 0), list.pageFromStart(0)]).toEqual([[], [], []]);
    expect(list.pageFromEnd(3, 10)).toEqual([2, 0]);
  });
});

it("a page of several lists is that of all their numbers", () => {
  const numbersArb = fc.uniqueArray(fc.nat(5_000), { maxLength: 3_000 });
  fc.assert(
    fc.property(numbersArb, fc.nat(4), fc.nat(3_500), fc.nat(50), (numbers, more, offset, limit) => {
      const lists = Array.from({ length: more + 1 }, () => new SortedList());
      for (const number of numbers) lists[number % lists.length]!.add(number);
      const all = numbers.toSorted((a, b) => b - a);
      expect(pageAcrossLists(lists, offset, limit)).toEqual(all.slice(offset, offset + limit));
    }),
  );
});
