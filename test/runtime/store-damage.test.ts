import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { StateDump } from "../../src/core/engine/records.js";
import { crc32 } from "../../src/core/store/journal-line.js";
import { StoreError } from "../../src/core/store/store-error.js";
import { createSandbox } from "../../src/index.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Client } from "../support/receiver-client.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "data.json");
});

describe("the checksum of a line", () => {
  it.each([
    ["", "00000000"],
    ["123456789", "cbf43926"],
    ["The quick brown fox jumps over the lazy dog", "414fa339"],
  ])("of %j is the one of zip files, wherever it stands", (text, expected) => {
    for (let before = 0; before < 9; before++) {
      const bytes = Buffer.from(`${"x".repeat(before)}${text}${"y".repeat(before)}`);
      const sum = crc32(bytes, before, bytes.length - before);
      expect(sum.toString(16).padStart(8, "0")).toBe(expected);
    }
  });
});

describe("a state that is changed by hand", () => {
  it("is refused, and taken once the checksum is out", async () => {
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
});

describe("a state without a checksum", () => {
  /** The state of a sandbox with a charge, as a person who edits it leaves it. */
  async function editable(): Promise<StateDump> {
    const sandbox = await createSandbox({ data: file, clock: "manual", startTime: START });
    await Client.of(sandbox).pay();
    await sandbox.close();
    const { checksum: _checksum, ...state } = JSON.parse(readFileSync(file, "utf8"));
    return state;
  }

  it.each<[string, (state: StateDump) => unknown]>([
    ["no collections", (state) => ({ ...state, collections: {} })],
    ["a world that is null", (state) => ({ ...state, collections: { ...state.collections, world: null } })],
    ["no world", (state) => ({ ...state, collections: { ...state.collections, world: [] } })],
    ["a time that is none", (state) => ({ ...state, at: 1e300 })],
    [
      "a charge of no mode",
      (state) => {
        const charges = state.collections.charges.map(([id, charge]) => [id, { ...charge, mode: "tesT" }]);
        return { ...state, collections: { ...state.collections, charges } };
      },
    ],
  ])("is refused in a line, and left alone, with %s", async (_name, damage) => {
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
});
