import { expect, it } from "vitest";
import { parse } from "yaml";
import { CHARGE_STATUSES } from "../../src/schema/common.js";
import { check } from "../../src/schema/issues.js";
import { scenarioSchema } from "../../src/schema/scenario.js";
import { STATUSES } from "../../src/schema/statuses.js";
import { blocksOf } from "./support/pages.js";

it("the cheat sheet draws moves that are allowed, and every status", () => {
  const { code } = blocksOf("docs/cheat-sheet.md").find(({ language }) => language === "mermaid")!;
  const arrows = [...code.matchAll(/^ +(\w+) --> (\w+)/gm)].map(([, from, to]) => [from!, to!] as const);
  expect(new Set(arrows.flat())).toEqual(new Set(CHARGE_STATUSES));
  for (const [from, to] of arrows)
    expect([from, STATUSES[from as keyof typeof STATUSES].next]).toEqual([
      from,
      expect.arrayContaining([to]),
    ]);
});

it("what an MSW handler is turned into is a scenario", () => {
  const { code } = blocksOf("docs/coming-from.md").find(({ language }) => language === "yaml")!;
  expect(check(scenarioSchema, parse(code))).toMatchObject({ ok: true });
});
