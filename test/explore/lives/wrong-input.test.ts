import { expect, it } from "vitest";
import type { ExploreFlow, ExploreOptions } from "../../../src/library/index.js";
import { openSandbox } from "../../support/api-client.js";
import { openShop } from "./shop.js";

it.each<[string, Partial<ExploreFlow>, ExploreOptions, string]>([
  ["lives without see", { see: undefined as never }, {}, "explore: the flow needs see"],
  ["lives without order", { lives: {} as never }, {}, "explore: lives needs order, as in { order: "],
  [
    "another key of lives",
    { lives: { order: () => {}, atempt: 1 } as never },
    {},
    "lives has no atempt; did you mean attempt?",
  ],
  [
    "an attempt that is no function",
    { lives: { order: () => {}, attempt: 1 } as never },
    {},
    "lives.attempt must be a function",
  ],
  ["no lives", {}, { lives: 0 }, "explore: lives must be 1 to 100000"],
  ["half a life", {}, { lives: 1.5 }, "explore: lives must be a whole number"],
  [
    "a life without a path",
    {},
    { only: "life x" },
    "only: life x names no life: give it as a report does, such as life 42:17:3",
  ],
  [
    "a flow without lives",
    { lives: undefined, flow: () => {} },
    { lives: 3 },
    "explore: lives: the flow has no lives",
  ],
  [
    "an allowed end of no kind",
    { allow: { refundet: { status: "paid" } } },
    {},
    "explore: allow.refundet is no kind of deviation; did you mean refunded?",
  ],
  [
    "an allowed end without fields",
    { allow: { refunded: "paid" } as never },
    {},
    'explore: allow.refunded must name fields, as in { refunded: { status: "paid" } }',
  ],
  ["neither flow nor lives", { lives: undefined }, {}, "explore: the flow needs flow, or lives"],
])("%s: refused", async (_what, more, options, message) => {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const flow = { ...(await openShop(sandbox)), ...more };
  await expect(sandbox.explore(flow, options)).rejects.toThrow(message);
});
