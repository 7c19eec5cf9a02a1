import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Change } from "../../src/core/engine/records.js";
import { CHARGE_STATUSES } from "../../src/core/schema/common.js";
import { COLLECTION_NAMES } from "../../src/core/schema/records/collection-names.js";
import { busyExports } from "../state/world.js";
import { newEngine } from "../support/engine.js";
import { moduleVariablesIn } from "../support/source-rules.js";

/** Collects all records that a busy sandbox commits. */
const committed = new Map<string, object[]>(COLLECTION_NAMES.map((name) => [name, []]));
const note = (change: unknown) => {
  for (const [name, , record] of (change as Change).puts)
    if (record !== null) committed.get(name)!.push(record as object);
};

beforeAll(async () => {
  subscribe("payments-sandbox:commit", note);
  await busyExports();
  committed.get("namespace")!.push(...newEngine().state.tables.namespace.values());
});
afterAll(() => void unsubscribe("payments-sandbox:commit", note));

function oddObjects(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const plain = Array.isArray(value) ? Array.prototype : Object.prototype;
  const odd = Object.getPrototypeOf(value) === plain ? [] : [value];
  return [...odd, ...Object.values(value).flatMap(oddObjects)];
}

it.each(COLLECTION_NAMES)(
  "records of %s are plain objects: spread, structuredClone and JSON keep every field",
  (name) => {
    const records = committed.get(name)!;
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) {
      expect(JSON.stringify({ ...record })).toBe(JSON.stringify(record));
      expect({ ...record }).toStrictEqual(record);
      expect(structuredClone(record)).toStrictEqual(record);
      expect(JSON.parse(JSON.stringify(record))).toStrictEqual(record);
      expect(oddObjects(record)).toEqual([]);
    }
  },
);

it("the tested charges include every status", () => {
  const charges = committed.get("charges") as { status: string; status_history: { status: string }[] }[];
  expect(new Set(charges.map(({ status }) => status))).toEqual(new Set(CHARGE_STATUSES));
  const isPaidLate = ({ status_history: all }: (typeof charges)[number]) =>
    all.findIndex(({ status }) => status === "EXPIRED") <
      all.findLastIndex(({ status }) => status === "COMPLETED") &&
    all.some(({ status }) => status === "EXPIRED");
  expect(charges.some(isPaidLate)).toBe(true);
});

const core = new URL("../../src/core/", import.meta.url);
const files = (room: string) =>
  readdirSync(new URL(`${room}/`, core), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${room}/${file.replaceAll("\\", "/")}`);
const source = (file: string) => readFileSync(new URL(file, core), "utf8");

it("the engine has no casts through unknown", () => {
  expect(
    ["engine", "domain"].flatMap(files).filter((file) => source(file).includes("as unknown as")),
  ).toEqual([]);
});

it("the engine has only three mutable module variables", () => {
  const found = ["schema", "domain", "engine"]
    .flatMap(files)
    .flatMap((file) => moduleVariablesIn(source(file)).map((name) => `${file} ${name}`));
  // The first two are set while schemas are defined.
  expect(found.sort()).toEqual([
    "engine/wire-views.ts texts",
    "schema/descriptions.ts descriptions",
    "schema/name-kinds.ts kinds",
  ]);
});
