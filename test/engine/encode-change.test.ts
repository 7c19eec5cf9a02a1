import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, expect, it } from "vitest";
import { decodeChange, encodeChange } from "../../src/core/engine/encode-change.js";
import type { Change, JournalEntry, RecordReader } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import { isJournalEntry } from "../../src/core/store/state-format.js";
import { busyExports } from "../state/world.js";
import { asJson } from "../support/engine.js";

const committed: Change[] = [];
const note = (change: unknown) => void committed.push(change as Change);
afterEach(() => void unsubscribe("payments-sandbox:commit", note));

const rate = { code: "KES", rate: "129.5" };
const before = { get: () => rate } as object as RecordReader;
const encoded = (record: object | null) =>
  encodeChange({ seq: 1, at: 0, puts: [["rates", "KES", record]], counters: {} }, before).puts[0];

it("encodes only the changed fields of an existing record", () => {
  expect(encoded({ ...rate, rate: "130" })).toEqual(["rates", "KES", { rate: "130" }, "changed"]);
  expect(encoded({ ...rate, note: [1] })).toEqual(["rates", "KES", { note: [1] }, "changed"]);
  expect(encoded({ ...rate })).toEqual(["rates", "KES", {}, "changed"]);
});

it.each([
  ["a field is removed", { code: "KES" }],
  ["fields are in another order", { rate: "129.5", code: "KES" }],
])("encodes the whole record if %s", (_name, record) => {
  expect(encoded(record)).toEqual(["rates", "KES", record]);
});

it("encodes a removed record as null", () => {
  expect(encoded(null)).toEqual(["rates", "KES", null]);
});

it("refuses changed fields of a missing record", () => {
  const entry: JournalEntry = { seq: 7, at: 0, puts: [["rates", "UGX", {}, "changed"]], counters: {} };
  expect(() => decodeChange(entry, { get: () => undefined })).toThrow(
    "change 7 refers to rates UGX, which does not exist",
  );
});

it("decoding the journal restores the committed changes byte for byte", async () => {
  subscribe("payments-sandbox:commit", note);
  await busyExports();
  const [state, read] = [new State(), new State()];
  let changedCount = 0;
  // The first change of a namespace creates its records.
  for (const change of committed) {
    const entry = asJson(encodeChange(change, state));
    expect(isJournalEntry(entry)).toBe(true);
    changedCount += entry.puts.filter(([, , , how]) => how === "changed").length;
    const decoded = decodeChange(entry, read);
    expect(JSON.stringify(decoded.puts)).toBe(JSON.stringify(change.puts));
    state.apply(change);
    read.apply(decoded);
  }
  expect(changedCount).toBeGreaterThan(50);
});
