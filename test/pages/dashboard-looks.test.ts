import { describe, expect, it, vi } from "vitest";
import { RecordTable } from "../../src/core/engine/record-table.js";
import { startedWithReceiver } from "./support/dashboard.js";

type Records = RecordTable<unknown>;

/** How many records are looked at while it does its work. */
async function looksDuring(work: () => Promise<unknown>): Promise<number> {
  let looks = 0;
  function* counted<Item>(all: Iterable<Item>): Generator<Item> {
    for (const one of all) {
      looks++;
      yield one;
    }
  }
  const { get, values, entries } = RecordTable.prototype;
  vi.spyOn(RecordTable.prototype, "get").mockImplementation(function (this: Records, key) {
    looks++;
    return get.call(this, key);
  });
  vi.spyOn(RecordTable.prototype, "values").mockImplementation(function (this: Records) {
    return counted(values.call(this));
  });
  for (const name of ["entries", Symbol.iterator] as const)
    vi.spyOn(RecordTable.prototype, name).mockImplementation(function (this: Records) {
      return counted(entries.call(this)) as never;
    });
  await work().finally(() => vi.restoreAllMocks());
  return looks;
}

describe("the dashboard", () => {
  it("looks at as many records among many as among few", async () => {
    const { charge, page, sandbox } = await startedWithReceiver();
    let made = 0;
    const make = async (many: number) => {
      for (const until = made + many; made < until; made++) await charge(`ada${made}@example.com`);
      await sandbox.advance("10s");
    };
    await make(60);
    const first = /charges\/(ch_[0-9a-f]+)/.exec(await page("/charges?offset=30"))![1]!;
    const paths = ["", "/charges", "/charges?offset=30", `/charges/${first}`];
    paths.push("/webhooks", "/webhooks?status=delivered&type=charge.*", "/money", "/requests");
    const looks = async () => {
      const found: [string, number][] = [];
      for (const path of paths) {
        // The first look makes what later ones find by.
        await page(path);
        found.push([path, await looksDuring(() => page(path))]);
      }
      return found;
    };
    const amongFew = await looks();
    expect(amongFew.every(([, many]) => many > 0)).toBe(true);
    await make(60);
    expect(await looks()).toEqual(amongFew);
  });
});
