import { expect, it } from "vitest";
import type { Namespaces } from "../../src/core/namespace/namespaces.js";
import { PAGES } from "../../src/pages/page-routes.js";
import { createApps } from "../../src/server/http/app.js";

it("Hono's RegExpRouter accepts the service's paths", async () => {
  const namespaces = {
    options: { base: { version: "0.0.0" } },
    nowMs: () => 0,
    find: () => undefined,
  } as unknown as Namespaces;
  const { app } = createApps({
    namespaces,
    pages: PAGES,
    documentOf: () => Promise.reject(),
    onError: () => {},
  });
  // Hono selects the router at the first call.
  expect((await app.request("/health")).status).toBe(200);
  expect(app.router.name).toBe("SmartRouter + RegExpRouter");
});
