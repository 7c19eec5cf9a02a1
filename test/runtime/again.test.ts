import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry, JournalPut } from "../../src/core/engine/records.js";
import { FileStore } from "../../src/core/store/file-store.js";
import { encodeLines } from "../../src/core/store/journal-line.js";
import { decodeRepeatedChange, encodeRepeatedChange } from "../../src/core/store/repeated-change.js";
import { isJournalEntry, isRepeatedChange } from "../../src/core/store/stored-shapes.js";
import { createSandbox } from "../../src/index.js";
import { temporaryFolder } from "../support/folders.js";
import { Client } from "../support/receiver-client.js";
import { change, dumpOf, stateAt, upTo } from "../support/store-model.js";

const inFile = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

const key = fc.oneof(fc.constantFrom("a", "b"), fc.integer({ min: 1, max: 3 }));
const fields = fc.dictionary(fc.constantFrom("x", "y"), fc.oneof(fc.nat(1), fc.array(fc.nat(1))), {
  maxKeys: 2,
});
const name = fc.constantFrom("rates", "keys");
const names = fc.subarray(["x", "y"]);
const grown = fc.constant({ list: [1] });
const put = fc.oneof(
  fc.tuple(name, key, fc.constant(null)),
  fc.tuple(name, key, fields),
  fc.tuple(name, key, fields, fc.constant("derived")),
  fc.tuple(name, key, fields, fc.constant("changed")),
  fc.tuple(name, key, fields, fc.constant("changed"), grown),
  fc.tuple(name, key, fields, fc.constant("like"), key),
  fc.tuple(name, key, fields, fc.constant("like"), key, fc.constant({ part: [{}, {}] })),
  fc.tuple(name, key, fields, fc.constant("as"), key, names),
  fc.tuple(name, key, fields, fc.constant("as"), key, names, grown),
) as unknown as fc.Arbitrary<JournalPut>;
const kept = fc.record({
  at: fc.nat(1),
  puts: fc.array(put, { maxLength: 2 }),
  counters: fc.dictionary(fc.constantFrom("m", "n"), fc.nat(2), { maxKeys: 2 }),
});

type Kept = Omit<JournalEntry, "seq">;

/** The same collections in the same way, with keys and fields of the other's. */
function alikeTo({ puts, counters }: Kept, other: Kept): Kept {
  const goOn = ([name, key, record, how, , ...more]: JournalPut, place: number) => {
    const [, nextKey = "c", nextRecord] = other.puts[place] ?? [];
    const fields = record === null ? null : (nextRecord ?? record);
    if (how === undefined) return [name, nextKey, fields];
    return how === "as" || how === "like"
      ? [name, nextKey, fields, how, key, ...more]
      : [name, nextKey, fields, how];
  };
  return { at: other.at, puts: puts.map(goOn) as unknown as JournalPut[], counters };
}

describe("a change that went as the one before it", () => {
  const before: JournalEntry = {
    seq: 7,
    at: 5,
    puts: [
      ["tasks", 1, null],
      ["events", 8, { type: "charge.expired" }, "derived"],
      ["charges", "ch_2", { tasks: { expiry: 3 } }, "as", "ch_1", ["status", "actors"]],
    ],
    counters: { event: 8, event_seq: 8 },
  };
  const next: JournalEntry = {
    seq: 8,
    at: 5,
    puts: [
      ["tasks", 2, null],
      ["events", 9, { type: "charge.expired" }, "derived"],
      ["charges", "ch_3", { tasks: { expiry: 4 } }, "as", "ch_2", ["status", "actors"]],
    ],
    counters: { event: 9, event_seq: 9 },
  };
  const again = { seq: 8, again: [2, 9, ["ch_3", { tasks: { expiry: 4 } }]], counters: [9, 9] };

  it("is told by its keys, counters and what fields are other, and is the same again", () => {
    expect(encodeRepeatedChange(next, before)).toEqual(again);
    expect(encodeRepeatedChange({ ...next, at: 6 }, before)).toEqual({ ...again, at: 6 });
    expect(decodeRepeatedChange(inFile(encodeRepeatedChange(next, before)!), before)).toEqual(next);
  });

  it.each<[string, Partial<JournalEntry>]>([
    ["that puts fewer", { puts: next.puts.slice(0, 2) }],
    ["of another collection", { puts: [["keys", 2, null], ...next.puts.slice(1)] as JournalPut[] }],
    [
      "as one that is not the one before it",
      { puts: next.puts.with(2, ["charges", "ch_3", {}, "as", "ch_1", ["status", "actors"]]) },
    ],
    [
      "of other fields",
      { puts: next.puts.with(2, ["charges", "ch_3", {}, "as", "ch_2", ["status", "notes"]]) },
    ],
    ["of other counters", { counters: { event: 9, task: 1 } }],
    ["of the same counters in another order", { counters: { event_seq: 9, event: 9 } }],
  ])("is not one %s", (_how, part) => {
    expect(encodeRepeatedChange({ ...next, ...part }, before)).toBeUndefined();
  });

  it("is the same to the byte, whatever the two are", () => {
    let found = 0;
    fc.assert(
      fc.property(kept, kept, fc.boolean(), (one, other, isAlike) => {
        const first: JournalEntry = { seq: 1, ...one };
        const second: JournalEntry = { seq: 2, ...(isAlike ? alikeTo(one, other) : other) };
        const told = encodeRepeatedChange(second, first);
        if (told === undefined) return;
        found++;
        expect(isRepeatedChange(inFile(told))).toBe(true);
        expect(JSON.stringify(decodeRepeatedChange(inFile(told), inFile(first)))).toBe(
          // Seq and time come first in every line.
          JSON.stringify({ seq: 2, at: second.at, puts: second.puts, counters: second.counters }),
        );
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it("is none where it is written otherwise, or does not fit what is before it", () => {
    for (const wrong of [
      { ...again, seq: "8" },
      { ...again, at: "5" },
      { ...again, again: [null] },
      { ...again, again: [["ch_3"]] },
      { ...again, again: [["ch_3", null]] },
      { ...again, counters: { event: 9 } },
      { ...again, counters: ["9"] },
    ]) {
      expect(isRepeatedChange(wrong), JSON.stringify(wrong)).toBe(false);
      expect(isJournalEntry(wrong)).toBe(false);
    }
    for (const wrong of [{ seq: 9 }, { again: [2, 9] }, { counters: [9] }])
      expect(
        decodeRepeatedChange({ ...again, ...wrong } as never, before),
        JSON.stringify(wrong),
      ).toBeUndefined();
  });
});

describe("the journal", () => {
  const fileStore = (compactAtBytes?: number) => {
    const file = join(temporaryFolder(), "d.json");
    const store = new FileStore({ file, ...(compactAtBytes === undefined ? {} : { compactAtBytes }) });
    return { file, store, lines: () => readFileSync(`${file}.journal`, "utf8") };
  };

  it("has a line that stands by itself after each start and each compaction, and else none that need not", async () => {
    const { file, store, lines } = fileStore(1);
    store.load();
    store.append([change(1), change(2)]);
    store.append([change(3)]);
    expect(lines().match(/"again"/g)).toHaveLength(2);
    const compacted = store.compactIfLarge(() => dumpOf(upTo(3)));
    // The snapshot has the lines before it, and they go.
    store.append([change(4), change(5)]);
    expect(await compacted).toBeUndefined();
    expect(lines()).toMatch(
      /^\S+ \d+ {"seq":4,"at":4000,"puts":.*\n\S+ \d+ {"seq":5,"at":5000,"again":.*\n$/,
    );
    store.replace(dumpOf(upTo(5)));
    store.append([change(6)]);
    expect(lines()).toMatch(/^\S+ \d+ {"seq":6,"at":6000,"puts":.*\n$/);
    store.close();
    const again = new FileStore({ file });
    expect(again.load()?.changes).toEqual([change(6)]);
    again.append([change(7)]);
    expect(lines()).toMatch(/{"seq":7,"at":7000,"puts":.*\n$/);
    again.close();
  });

  const lineOf = (seq: number, last?: JournalEntry) => encodeLines([change(seq)], last).toString();

  it.each([
    ["is the first", lineOf(1, { ...change(1), seq: 0 })],
    ["comes after another", lineOf(1) + lineOf(3, change(2))],
  ])("is damaged where a line that goes by one before it %s", (_how, journal) => {
    expect(journal).toContain("again");
    const { file, store } = fileStore();
    writeFileSync(`${file}.journal`, journal);
    expect(() => store.load()).toThrow("the line before it does not have the change it refers to");
  });

  it("holds little of each of many charges that go the same way, and the state is the same again", async () => {
    const data = join(temporaryFolder(), "d.json");
    await using sandbox = await createSandbox({ data, clock: "manual", retention: { events: 5 } });
    const shop = Client.of(sandbox);
    for (let count = 0; count < 20; count++) await shop.pay({ scenario: "expired" });
    const before = statSync(`${data}.journal`).size;
    await sandbox.advance("2h");
    const lines = readFileSync(`${data}.journal`, "utf8");
    expect(lines.slice(before).match(/"again"/g)?.length).toBeGreaterThan(15);
    // Each awaits payment, and expires.
    expect((statSync(`${data}.journal`).size - before) / 40).toBeLessThan(240);
    const copy = join(temporaryFolder(), "d.json");
    for (const ending of ["", ".journal"]) writeFileSync(copy + ending, readFileSync(data + ending));
    expect(stateAt(copy)).toBe(JSON.stringify(sandbox.snapshot()));
  });
});
