import { expect, it } from "vitest";
import { parse } from "yaml";
import { safeParse } from "../../src/core/schema/issues.js";
import { scenarioSchema } from "../../src/core/schema/scenario-rules.js";
import { blocksOf } from "./support/pages.js";

it("what an MSW handler is turned into is a scenario", () => {
  const { code } = blocksOf("docs/coming-from.md").find(({ language }) => language === "yaml")!;
  expect(safeParse(scenarioSchema, parse(code))).toMatchObject({ ok: true });
});
