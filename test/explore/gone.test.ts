import { expect, it } from "vitest";
import type { ShopHere } from "../corpus/start-shop.js";
import { fileWith } from "../support/scenario-run.js";
import { FLOW, openCorpus } from "./support.js";

/** Who hangs is not waited for long. */
const HASTY = FLOW.replace("    app: POST /orders", "    within: 1s\n$&");
const ENDS: readonly (readonly [string, (shop: ShopHere) => unknown, string])[] = [
  ["hangs", (shop) => shop.hang(), "no answer within 1 s"],
  ["crashes", (shop) => shop.close(), "nobody listens there"],
  ["talks nonsense", (shop) => shop.babble(), "Parse Error"],
];

it.each(ENDS)(
  "an app that %s meanwhile is found, and nothing more is tried",
  async (_, end, message) => {
    const { sandbox, shop } = await openCorpus("right");
    const report = await sandbox.explore(fileWith(HASTY), {
      app: shop.url,
      onRun: (runs) => void (runs === 2 && end(shop)),
    });
    expect(report).toMatchObject({
      passed: false,
      complete_depth: 0,
      runs: 3,
      findings: [
        { oracle: "liveness", message: expect.stringContaining(message), deviations: [expect.any(Object)] },
      ],
    });
  },
  60_000,
);
