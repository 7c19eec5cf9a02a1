import { describe, expect, it } from "vitest";
import { COURSES, carryOut } from "./courses.js";
import { PYTHON_MISSING, startPythonShop } from "./python-shop.js";

const MET = ["nothing", "at_once", "hold: webhook", "drop: hang", "drop: before", "a look that fails"];
const why = PYTHON_MISSING === undefined ? "" : ` (${PYTHON_MISSING})`;

describe.skipIf(PYTHON_MISSING !== undefined)(`a shop in Python${why}`, () => {
  it.each(COURSES.filter(([course]) => MET.includes(course)))("gets over %s", async (_, course) => {
    const { orders, findings } = await carryOut((options) => startPythonShop("right", options), course);
    expect(findings).toEqual([]);
    expect(orders).toMatchObject([{ status: "paid", delivered: 1 }]);
  });

  it("is found where it acts twice", async () => {
    const [, course] = COURSES.find(([name]) => name === "copies")!;
    const { findings } = await carryOut((options) => startPythonShop("acts_twice", options), course);
    expect(findings).toEqual(["delivered_twice"]);
  });
});
