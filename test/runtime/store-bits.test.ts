import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../../src/core/store/store-error.js";
import { createSandbox } from "../../src/index.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Client } from "../support/receiver-client.js";
import { stateAt } from "../support/store-model.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "data.json");
});

/** A snapshot and a journal as a killed process leaves them. */
async function usedFiles(): Promise<{ snapshot: Buffer; journal: Buffer }> {
  const first = await createSandbox({ data: file, clock: "manual", startTime: START });
  await Client.of(first).pay();
  await first.advance("1h");
  await first.close();
  const second = await createSandbox({ data: file });
  await Client.of(second).pay({ email: "zoe@shop.test" });
  await second.advance("1h");
  const files = { snapshot: readFileSync(file), journal: readFileSync(`${file}.journal`) };
  await second.close();
  return files;
}

/** The same numbers in each run, evenly spread over 0 to 1. */
function* spread(): Generator<number> {
  for (let number = 0.5; ; number = (number + 0.6180339887498949) % 1) yield number;
}

describe("one bit flipped in a snapshot or a journal", () => {
  it("never goes unnoticed: the store is refused in a line, or it is the very state", async () => {
    const { snapshot, journal } = await usedFiles();
    expect(snapshot.length).toBeGreaterThan(10_000);
    expect(journal.length).toBeGreaterThan(5_000);
    writeFileSync(file, snapshot);
    writeFileSync(`${file}.journal`, journal);
    const original = stateAt(file);

    const bits = new Set<number>();
    const end = (snapshot.length + journal.length) * 8;
    for (const number of spread()) {
      if (bits.size === 3_000) break;
      bits.add(Math.floor(number * end));
    }
    // And all bits of what holds the files together: the snapshot's head, each line's head, each newline.
    for (let bit = 0; bit < 90 * 8; bit++) bits.add(bit);
    for (let at = 0; at < journal.length; at = journal.indexOf("\n", at) + 1) {
      for (let bit = -8; bit < 16 * 8; bit++) bits.add((snapshot.length + at) * 8 + bit);
    }
    for (let bit = end - 16; bit < end; bit++) bits.add(bit);

    const unnoticed: string[] = [];
    for (const bit of bits) {
      const at = bit >> 3;
      const [damaged, bytes, place] =
        at < snapshot.length ? [file, snapshot, at] : [`${file}.journal`, journal, at - snapshot.length];
      bytes[place]! ^= 1 << (bit & 7);
      writeFileSync(damaged, bytes);
      try {
        if (stateAt(file) !== original) unnoticed.push(`bit ${bit}: another state`);
      } catch (error) {
        const isRefused = error instanceof StoreError && /^[^\n]+ backup[^\n]+$/.test(error.message);
        if (!isRefused) unnoticed.push(`bit ${bit}: ${error}`);
      }
      bytes[place]! ^= 1 << (bit & 7);
      writeFileSync(damaged, bytes);
    }
    expect(stateAt(file)).toBe(original);
    expect(unnoticed).toEqual([]);
  });
});
