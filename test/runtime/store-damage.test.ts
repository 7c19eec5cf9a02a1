import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import type { StateDump } from "../../src/core/engine/records.js";
import { crc32 } from "../../src/core/store/journal-line.js";
import { StoreError } from "../../src/core/store/store-error.js";
import { createSandbox } from "../../src/library/index.js";
import { START } from "../support/api-client.js";
import { dataFile } from "../support/kept.js";
import { Client } from "../support/receiver-client.js";
import { stateAt } from "../support/store-model.js";

let file: string;
beforeEach(() => {
  file = dataFile();
});

it.each([
  ["", "00000000"],
  ["12345678", "9ae0daaf"],
  ["123456789", "cbf43926"],
  ["The quick brown fox jumps over the lazy dog", "414fa339"],
])("the checksum of %j equals the CRC-32 of zip files", (text, expected) => {
  expect(crc32(Buffer.from(text)).toString(16).padStart(8, "0")).toBe(expected);
});

it("an edited state is refused unless its checksum is removed", async () => {
  await (await createSandbox({ data: file, clock: "manual", startTime: START })).close();
  const text = readFileSync(file, "utf8");
  expect(text).toContain('"cancelled_by_customer"');
  const changed = text.replaceAll("cancelled_by_customer", "changed_my_mind");
  writeFileSync(file, changed);
  await expect(createSandbox({ data: file })).rejects.toThrow('removing "checksum" from the file');
  expect(existsSync(`${file}.lock`)).toBe(false);
  writeFileSync(file, changed.replace(/"checksum":"[^"]*",/, ""));
  await (await createSandbox({ data: file })).close();
  expect(readFileSync(file, "utf8")).toMatch(/^\{"checksum":"[0-9a-f]{64}",\n {2}"version": 1,\n/);
});

/** A state without checksum, as a user would edit it. */
async function editable(): Promise<StateDump> {
  const sandbox = await createSandbox({ data: file, clock: "manual", startTime: START });
  await Client.of(sandbox).pay();
  await sandbox.close();
  const { checksum: _checksum, ...state } = JSON.parse(readFileSync(file, "utf8"));
  return state;
}

it.each<[string, (state: StateDump) => unknown]>([
  ["no collections", (state) => ({ ...state, collections: {} })],
  ["a null namespace", (state) => ({ ...state, collections: { ...state.collections, namespace: null } })],
  ["no namespace", (state) => ({ ...state, collections: { ...state.collections, namespace: [] } })],
  ["an invalid time", (state) => ({ ...state, at: 1e300 })],
  [
    "a charge without a mode",
    (state) => {
      const charges = state.collections.charges.map(([id, charge]) => [id, { ...charge, mode: "tesT" }]);
      return { ...state, collections: { ...state.collections, charges } };
    },
  ],
])("refuses an edited state with %s and leaves it unchanged", async (_name, damage) => {
  const text = JSON.stringify(damage(await editable()));
  writeFileSync(file, text);
  const journal = readFileSync(`${file}.journal`);
  const error = await createSandbox({ data: file }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).message).toMatch(/^[^\n]+not a s[^\n]+\. Restore [^\n]+$/);
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(readFileSync(`${file}.journal`)).toEqual(journal);
  expect(existsSync(`${file}.lock`)).toBe(false);
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

/** Deterministic numbers, evenly distributed between 0 and 1. */
function* spread(): Generator<number> {
  for (let number = 0.5; ; number = (number + 0.6180339887498949) % 1) yield number;
}

it("detects a flipped bit in a snapshot or journal", async () => {
  const { snapshot, journal } = await usedFiles();
  expect(snapshot.length).toBeGreaterThan(10_000);
  expect(journal.length).toBeGreaterThan(5_000);
  writeFileSync(file, snapshot);
  writeFileSync(`${file}.journal`, journal);
  const original = stateAt(file);

  const bits = new Set<number>();
  const end = (snapshot.length + journal.length) * 8;
  for (const number of spread()) {
    if (bits.size === 1_000) break;
    bits.add(Math.floor(number * end));
  }
  // Includes every bit of the headers and newlines.
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
