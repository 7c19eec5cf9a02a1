import { describe, expect } from "vitest";
import { expectError } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** Fetch metadata of a browser for a subresource of another site's page, and for a followed link. */
const EMBEDDED: [name: string, headers: Record<string, string>][] = [
  ["a script's", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
  ["a script's that may not read the answer", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" }],
  ["an image's", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
  ["a frame's", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
  ["one that says no more", {}],
];
const PATHS = [
  "/_sandbox",
  "/_sandbox/requests",
  "/_sandbox/dashboard",
  "/_sandbox/stream",
  "/_sandbox/nothing",
];

describe("a GET of the control API from a page of another site", () => {
  it.for(EMBEDDED)("is refused: %s", async ([_name, headers], { api }) => {
    for (const path of PATHS)
      expectError(await api.get(path, { "sec-fetch-site": "cross-site", ...headers }), 403, "FORBIDDEN");
  });

  it.for([
    ["a link that is followed", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    [
      "a link, by a browser that says where to",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    ],
    ["our own page", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }],
    ["an address that is typed in", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
    ["a program that is no browser", {}],
  ] as const)("is served when it is %s", async ([_name, headers], { api }) => {
    for (const path of ["/_sandbox", "/_sandbox/requests", "/_sandbox/dashboard"])
      expect((await api.get(path, headers)).status).toBe(200);
  });
});
