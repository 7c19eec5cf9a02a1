import { expect } from "vitest";
import { expectError } from "../support/api-client.js";
import { it } from "../support/api-test.js";

/** Headers that a browser sends for an image on another site, and for a link. */
const EMBEDDED: [name: string, headers: Record<string, string>][] = [
  ["script, cors", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
  ["script, no-cors", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" }],
  ["image", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
  ["frame", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
  ["no further header", {}],
];
const PATHS = [
  "/_sandbox",
  "/_sandbox/requests",
  "/_sandbox/dashboard",
  "/_sandbox/stream",
  "/_sandbox/nothing",
];

it.for(EMBEDDED)("refuses a cross-site GET of the control API: %s", async ([_name, headers], { api }) => {
  for (const path of PATHS)
    expectError(await api.get(path, { "sec-fetch-site": "cross-site", ...headers }), 403, "FORBIDDEN");
});

it.for([
  ["a followed link", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
  [
    "a followed link, with its destination",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  ],
  ["the server's own page", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }],
  ["a typed URL", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
  ["not a browser", {}],
] as const)("serves a GET of the control API that is %s", async ([_name, headers], { api }) => {
  for (const path of ["/_sandbox", "/_sandbox/requests", "/_sandbox/dashboard"])
    expect((await api.get(path, headers)).status).toBe(200);
});
