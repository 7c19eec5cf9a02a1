import { describe, expect, it, vi } from "vitest";
import { State } from "../../src/core/engine/state.js";
import { withReceiver } from "./support/dashboard.js";

/** Counts the records that the work reads. */
async function countReads({ tables }: State, work: () => Promise<unknown>) {
  let reads = 0;
  function* counted<Item>(all: Iterable<Item>): Generator<Item> {
    for (const one of all) {
      reads++;
      yield one;
    }
  }
  for (const table of Object.values(tables) as Map<unknown, unknown>[]) {
    const { get, values, entries } = Map.prototype;
    vi.spyOn(table, "get").mockImplementation((key) => {
      reads++;
      return get.call(table, key);
    });
    vi.spyOn(table, "values").mockImplementation(() => counted(values.call(table)) as never);
    for (const name of ["entries", Symbol.iterator] as const)
      vi.spyOn(table, name).mockImplementation(() => counted(entries.call(table)) as never);
  }
  await work().finally(() => vi.restoreAllMocks());
  return reads;
}

describe("a dashboard view", () => {
  it("a view reads as many records among 120 charges as among 60", async () => {
    const applied = vi.spyOn(State.prototype, "apply");
    const { charge, page, sandbox } = await withReceiver();
    const state = applied.mock.contexts.at(-1) as State;
    applied.mockRestore();
    let made = 0;
    const make = async (many: number) => {
      for (const until = made + many; made < until; made++) await charge(`ada${made}@example.com`);
      await sandbox.advance("10s");
    };
    await make(60);
    const first = /charges\/(ch_[0-9a-f]+)/.exec(await page("/charges?offset=30"))![1]!;
    const paths = ["", "/charges", "/charges?offset=30", `/charges/${first}`];
    paths.push("/webhooks", "/webhooks?status=delivered&type=charge.*", "/money", "/requests");
    const readAll = async () => {
      const found: [string, number][] = [];
      for (const path of paths) {
        // The first read builds indexes.
        await page(path);
        found.push([path, await countReads(state, () => page(path))]);
      }
      return found;
    };
    const amongFew = await readAll();
    expect(amongFew.every(([, many]) => many > 0)).toBe(true);
    await make(60);
    expect(await readAll()).toEqual(amongFew);
  });
});
