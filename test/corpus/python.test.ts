import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import { isHere, startProgram } from "../support/programs.js";
import { COURSES, carryOut } from "./courses.js";
import { hearWebhooks, type RunningShop, type ShopOptions } from "./start-shop.js";

const MET = ["nothing", "at_once", "hold: webhook", "drop: hang", "drop: before", "a look that fails"];
const isThere = isHere("python3");

/** Starts `shop.py` in a separate process. */
async function startPythonShop(
  kind: "right" | "acts_twice",
  { baseUrl, apiKey, patienceMs }: ShopOptions,
): Promise<RunningShop> {
  const { port, close } = await startProgram("python3", [join(import.meta.dirname, "shop.py"), kind], {
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_WEBHOOK_SECRET: DEFAULT_WEBHOOK_SECRET,
    PATIENCE_MS: String(patienceMs),
  });
  const url = `http://127.0.0.1:${port}`;
  await hearWebhooks(url, { baseUrl, apiKey, secret: DEFAULT_WEBHOOK_SECRET });
  return { url, close };
}

describe.skipIf(!isThere)(`a shop in Python${isThere ? "" : " (python3 is not on this machine)"}`, () => {
  it.each(COURSES.filter(([course]) => MET.includes(course)))(
    "the Python shop handles %s",
    async (_, course) => {
      const { orders, findings } = await carryOut((options) => startPythonShop("right", options), course);
      expect(findings).toEqual([]);
      expect(orders).toMatchObject([{ status: "paid", delivered: 1 }]);
    },
  );

  it("reconcile finds that a faulty Python shop delivered twice", async () => {
    const [, course] = COURSES.find(([name]) => name === "copies")!;
    const { findings } = await carryOut((options) => startPythonShop("acts_twice", options), course);
    expect(findings).toEqual(["delivered_twice"]);
  });
});
