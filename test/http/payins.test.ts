import { expect } from "vitest";
import { CHARGE_STATUSES } from "../../src/core/schema/common.js";
import { type Api, expectInvalid, KES_ORDER, later, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** Creates this many charges and returns their ids. */
async function charges(api: Api, count: number): Promise<string[]> {
  const body = await api.checkoutBody();
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await api.whitelabel(body)).charge_id);
  return ids;
}

it("a list without charges is empty", async () => {
  expect(await (await openApi()).payins()).toEqual({ total: 0, items: [] });
});

it("pages list the newest charges first [R23.1]", async ({ api }) => {
  const ids = await charges(api, 4);
  await api.advance({ by: "1s" });
  ids.push(...(await charges(api, 3)));
  const newestFirst = ids.reverse();
  expect((await api.payins()).items.map((one) => one.charge_id)).toEqual(newestFirst);
  const paged: string[] = [];
  for (let offset = 0; offset < 7; offset += 2)
    paged.push(...(await api.payins(`?limit=2&offset=${offset}`)).items.map((one) => one.charge_id));
  expect(paged).toEqual(newestFirst);
});

it("pages have 50 entries by default and at most 100 [R23.3 R23.4 R23.5 R23.8 R30.7]", async ({ api }) => {
  const ids = (await charges(api, 103)).reverse();
  const read = async (query: string) => (await api.payins(query)).items.map((one) => one.charge_id);
  expect(await read("")).toEqual(ids.slice(0, 50));
  expect(await read("?limit=1")).toEqual(ids.slice(0, 1));
  expect(await read("?limit=100")).toEqual(ids.slice(0, 100));
  expect(await read("?offset=50")).toEqual(ids.slice(50, 100));
  expect(await read("?limit=100&offset=100")).toEqual(ids.slice(100));
  expect(await read("?offset=103")).toEqual([]);
  expect((await api.payins("?limit=1&offset=1000000")).total).toBe(103);
});

it("a page after the last charge is empty", async ({ api }) => {
  await charges(api, 1);
  for (const offset of ["1", "9007199254740993", "9".repeat(40)])
    expect(await api.payins(`?offset=${offset}`)).toEqual({ total: 1, items: [] });
});

it("status_filter lists and counts the charges of a status [R17.1 R23.7 R23.8]", async ({ api }) => {
  const ids = await charges(api, CHARGE_STATUSES.length + 1);
  const paths: Record<string, string[]> = { REFUNDED: ["COMPLETED", "REFUNDED"], PENDING: [] };
  for (const [index, status] of CHARGE_STATUSES.entries())
    for (const to of paths[status] ?? [status])
      expect((await api.transition(ids[index]!, { to })).status).toBe(200);
  for (const [index, status] of CHARGE_STATUSES.entries()) {
    const { total, items } = await api.payins(`?status_filter=${status}&limit=1`);
    expect([status, total, items.length]).toEqual([status, status === "PENDING" ? 2 : 1, 1]);
    expect(items[0]).toMatchObject({
      status,
      charge_id: status === "PENDING" ? ids[CHARGE_STATUSES.length] : ids[index],
    });
  }
  expect((await api.payins()).total).toBe(CHARGE_STATUSES.length + 1);
});

it("status_filter follows a charge that changes status [R8.3 R18.3 R23.9]", async ({ api }) => {
  await api.pay();
  expect((await api.payins("?status_filter=PENDING")).total).toBe(1);
  await api.advance({ by: "5s" });
  expect((await api.payins("?status_filter=PENDING")).total).toBe(0);
  const { total, items } = await api.payins("?status_filter=COMPLETED");
  expect(total).toBe(1);
  expect(items[0]).toMatchObject({ created_at: START, updated_at: later(5) });
});

it("status_filter applies across pages", async ({ api }) => {
  const ids = await charges(api, 6);
  for (const id of [ids[1], ids[3], ids[4]]) await api.transition(id!, { to: "CANCELLED" });
  const read = async (query: string) =>
    (await api.payins(`?status_filter=CANCELLED&${query}`)).items.map((one) => one.charge_id);
  expect(await read("limit=2")).toEqual([ids[4], ids[3]]);
  expect(await read("limit=2&offset=2")).toEqual([ids[1]]);
});

it("GET payins reports all invalid parameters together [R23.11 R29.10]", async () => {
  const answer = await (await openApi()).tryPayins("?limit=0&offset=-1&status_filter=x");
  expectInvalid(answer, "limit", "offset", "status_filter");
  expect(answer.details.limit).toMatch(/between 1 and 100/);
  expect(answer.details.offset).toMatch(/non-negative/);
});

it("a key lists only charges of its organization and mode [R1.9 R1.12 R8.2 R23.10 R27.2 R27.3]", async ({
  api,
}) => {
  const [live, other, readonly] = [
    api.as("sk_live_sandbox"),
    api.as("sk_test_other"),
    api.as("sk_test_readonly"),
  ];
  const [mine, lives, others] = [await api.pay(), await live.pay(KES_ORDER), await other.pay()];
  for (const [caller, id] of [
    [api, mine.charge_id],
    [readonly, mine.charge_id],
    [live, lives.charge_id],
    [other, others.charge_id],
  ] as const) {
    const { total, items } = await caller.payins();
    expect([total, items.map((one) => one.charge_id)]).toEqual([1, [id]]);
  }
  expect((await other.payins()).items[0]!.organization_id).toBe("org_other");
  expect((await api.as("sk_test_unverified").payins()).total).toBe(0);
});
