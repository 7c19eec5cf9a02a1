import { test } from "vitest";
import { type Api, openApi } from "./api-client.js";
import { type Client, openShop, type Shop } from "./receiver-client.js";

interface Given {
  /** A caller with the ordinary test key, of a sandbox of this test's own, at START. */
  api: Api;
  /** Such a sandbox, and a shop that uses it. */
  shop: Shop;
  /** The shop alone. */
  client: Client;
}

/** `it`, with what most tests begin with; a test that names none of it opens nothing. */
export const it = test.extend<Given>({
  api: async ({ task: _ }, use) => use(await openApi()),
  shop: async ({ task: _ }, use) => use(await openShop()),
  client: async ({ shop }, use) => use(shop.client),
});
