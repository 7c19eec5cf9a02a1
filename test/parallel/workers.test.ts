import { describe, expect, it } from "vitest";
import { type Assignment, type Course, takeAlone, takeTogether } from "./support/workers.js";

/** Number of characters shown around the first difference. */
const SHOWN = 200;

/** Returns the text around the first difference, or undefined. */
function firstDifference(one: Course, other: Course): string | undefined {
  const length = Math.max(one.lines.length, other.lines.length);
  const line = Array.from({ length }, (_, at) => at).find((at) => one.lines[at] !== other.lines[at]);
  if (line === undefined) return undefined;
  const [here = "", there = ""] = [one.lines[line], other.lines[line]];
  let at = 0;
  while (here[at] === there[at]) at++;
  const part = (text: string) => text.slice(Math.max(0, at - SHOWN), at + SHOWN);
  return `line ${line}, character ${at}: ${here.split("\n", 1)}\n${part(here)}\n---\n${part(there)}`;
}

function owners(heard: readonly string[]): string[] {
  return [...new Set(heard)];
}

describe("three workers on one server, a namespace each", () => {
  it("three concurrent workers get the same responses as when run alone", async () => {
    const assignments = Array.from({ length: 3 }, (_, number) => ({ number, namespace: `worker-${number}` }));
    const together = await takeTogether(assignments);
    const alone = await takeAlone(assignments);
    for (const { number } of assignments) {
      const [course, expected] = [together[number]!, alone[number]!];
      expect(firstDifference(course, expected), `worker ${number}`).toBeUndefined();
      expect(expected.lines.length).toBeGreaterThan(500);
      expect(owners(course.heard)).toEqual([String(number)]);
      expect(owners(course.heardAtHub)).toEqual([String(number)]);
      expect(course.heardAtHub.length).toBe(expected.heardAtHub.length);
    }
    // Different transcripts make the comparison meaningful.
    expect(new Set(together.map(({ lines }) => lines.join())).size).toBe(3);
  });
});

describe("the check can fail", () => {
  it("two workers in one namespace influence each other", async () => {
    const assignments: Assignment[] = [3, 4].map((number) => ({ number, namespace: "shared" }));
    const [alone] = await takeAlone(assignments.slice(0, 1));
    const together = await takeTogether(assignments).catch((error: Error) => error);
    // The workers may disturb each other so much that one fails.
    if (together instanceof Error) return expect(together).toBeInstanceOf(TypeError);
    expect(firstDifference(together[0]!, alone!)).toBeDefined();
    expect(owners(together[0]!.heardAtHub).length).toBe(2);
  });
});
