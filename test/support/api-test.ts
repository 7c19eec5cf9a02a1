import { test } from "vitest";
import { type Api, openApi } from "./api-client.js";
import { type Client, openShop, type Shop } from "./receiver-client.js";

interface Given {
  /** A client of a new sandbox, with the default test key. */
  api: Api;
  /** A new sandbox with a shop that uses it. */
  shop: Shop;
  /** The client of the shop. */
  client: Client;
}

/** `it` with fixtures, opened only for tests that name them. */
export const it = test.extend<Given>({
  api: async ({ task: _ }, use) => use(await openApi()),
  shop: async ({ task: _ }, use) => use(await openShop()),
  client: async ({ shop }, use) => use(shop.client),
});
