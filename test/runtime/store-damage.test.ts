import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { StateDump } from "../../src/engine/records.js";
import { createSandbox } from "../../src/index.js";
import { crc32 } from "../../src/store/crc32.js";
import { StoreError } from "../../src/store/error.js";
import { START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Client } from "../support/receiver-client.js";
import { stateAt } from "../support/store-model.js";

const EARLIER = fileURLToPath(new URL("earlier-version/", import.meta.url));

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
    await expect(createSandbox({ data: file })).rejects.toThrow('take "checksum" out of the file');
    expect(existsSync(`${file}.lock`)).toBe(false);
    writeFileSync(file, changed.replace(/"checksum":"[^"]*",/, ""));
    await (await createSandbox({ data: file })).close();
    expect(readFileSync(file, "utf8")).toMatch(/^\{"checksum":"[0-9a-f]{64}",\n {2}"version": 1,\n/);
  });
});

describe("files of an earlier version", () => {
  function copyEarlier(): void {
    for (const ending of ["", ".journal", ".lock"]) copyFileSync(`${EARLIER}data${ending}`, file + ending);
  }

  it("open, go on from where they were, and are the new version's afterwards", async () => {
    copyEarlier();
    // What an earlier version kept was killed with it, and a process may have its pid by now.
    writeFileSync(`${file}.lock`, "999999999\n");
    const first = await createSandbox({ data: file });
    expect(first.seed).toBe("spring");
    const client = Client.of(first);
    expect((await client.clock()).json.now).toBe("2026-03-01T09:00:03.000Z");
    for (const [charge, status] of [
      ["ch_8c85b7434c9b99e15580ca52", "PROCESSING"],
      ["ch_c2f21dff3b3833a46776995f", "PROCESSING"],
    ])
      expect((await client.charge(charge!)).json.status).toBe(status);
    const added = await client.pay();
    const lines = readFileSync(`${file}.journal`, "utf8").trimEnd().split("\n");
    expect(lines[0]).toMatch(/^\{"seq":6,/);
    expect(lines.at(-1)).toMatch(/^[0-9a-f]{8} \d+ \{"seq":/);
    // As a crash would leave it: lines of both versions.
    for (const ending of ["", ".journal"]) copyFileSync(file + ending, `${file}.copy${ending}`);
    expect(JSON.parse(stateAt(`${file}.copy`))).toEqual(JSON.parse(JSON.stringify(first.snapshot())));
    await first.close();
    expect(JSON.parse(readFileSync(file, "utf8")).checksum).toMatch(/^[0-9a-f]{64}$/);
    const second = await createSandbox({ data: file });
    expect((await Client.of(second).charge(added)).status).toBe(200);
    await second.close();
  });

  it("never give an id twice, however often their state is put back", async () => {
    copyEarlier();
    rmSync(`${file}.lock`);
    await using sandbox = await createSandbox({ data: file });
    const client = Client.of(sandbox);
    const state = (await client.ask("GET /_sandbox/state")).json;
    const ids = [await client.pay()];
    for (let count = 0; count < 3; count++) {
      expect((await client.ask("PUT /_sandbox/state", state)).status).toBe(200);
      ids.push(await client.pay());
    }
    expect(new Set(ids).size).toBe(4);
  });

  it("may end in a torn line, but not in one that lost its newline", () => {
    copyEarlier();
    rmSync(`${file}.lock`);
    const whole = stateAt(file);
    const journal = readFileSync(`${file}.journal`);
    writeFileSync(`${file}.journal`, Buffer.concat([journal, Buffer.from('{"seq":15,"at"')]));
    expect(stateAt(file)).toBe(whole);
    expect(readFileSync(`${file}.journal`)).toEqual(journal);
    journal[journal.length - 1] = 0x0b;
    writeFileSync(`${file}.journal`, journal);
    expect(() => stateAt(file)).toThrow("data.json.journal line 9: its newline is damaged");
  });

  /** They have no checksum: what is wrong in them may only show when the state is made of it. */
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
  ])("are refused in a line, and left alone, with %s", async (_name, damage) => {
    copyEarlier();
    rmSync(`${file}.lock`);
    const text = JSON.stringify(damage(JSON.parse(readFileSync(file, "utf8"))));
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
