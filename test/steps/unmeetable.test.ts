import { describe, expect, it } from "vitest";
import { vocabularyOf } from "../../src/core/domain/name-check.js";
import { parseDocument } from "../../src/core/files/documents.js";
import { loadScenario } from "../../src/tools/scenario/files.js";

async function warnings(text: string): Promise<string[]> {
  const document = await parseDocument("a.yaml", `name: a\n${text}\n`);
  const loaded = loadScenario(document, { runIdOf: () => "0", vocabulary: vocabularyOf({}) });
  return loaded.warnings.map(({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`);
}

const SAYS = "can never be met: no value is";

describe("what can never be met is warned of", () => {
  it.each([
    [
      'charges: [{ match: { base_amount: { gte: "500", lt: "100" } }, timeline: [] }]',
      `charges.0.match.base_amount: ${SAYS} gte 500 and lt 100`,
    ],
    [
      "steps: [{ expect_charge: { count: { gte: 5, lte: 2 } } }]",
      `2:28 steps.0.expect_charge.count: ${SAYS} gte 5 and lte 2`,
    ],
    ["steps: [{ expect_charge: { count: { gt: 1, lt: 2 } } }]", `count: ${SAYS} gt 1 and lt 2`],
    [
      "steps: [{ wait_for: charge, match: { amount: { gt: '5.00', lte: '5' } } }]",
      `match.amount: ${SAYS} gt 5.00 and lte 5`,
    ],
    ["steps: [{ wait_for: charge, count: { gte: 3, lt: 3 } }]", `count: ${SAYS} gte 3 and lt 3`],
    [
      "steps: [{ expect_charge: { created_at: { gt: '2027-01-02T00:00:00Z', lt: '2027-01-01T00:00:00Z' } } }]",
      `created_at: ${SAYS}`,
    ],
    ["steps: [{ expect_request: { spacing: { gte: 2m, lt: 30s } } }]", `spacing: ${SAYS} gte 2m and lt 30s`],
    [
      "steps: [{ app: GET /orders, expect: { body: { n: { in: [] } } } }]",
      "expect.body.n.in: is empty, so nothing matches",
    ],
    ["include: []\nsteps: [{ advance: 1s }]", "2:1 include: includes nothing"],
  ])("in %s", async (text, expected) => {
    const [warning, ...others] = await warnings(text);
    expect(others).toEqual([]);
    expect(warning).toContain(expected);
  });
});

it.each([
  "steps: [{ expect_charge: { count: { gte: 2, lte: 2 }, amount: { gt: '1', lt: '2' } } }]",
  "steps: [{ app: POST /orders, body: { in: [], gt: 5, lt: 1 } }]",
  "steps: [{ expect_request: { spacing: { gte: 500ms, lt: 1s } } }]",
])("nothing is said of %s", async (text) => expect(await warnings(text)).toEqual([]));

it("a variable that is written as elsewhere is warned of where there is one of that name", async () => {
  const steps = "vars: { email: a@b.test }\nsteps:";
  const say = (text: string) => warnings(`${steps} [{ manual: "${text}" }]`);
  for (const written of ["$email", "{{email}}", "{{ email }}"])
    expect(await say(`Pay as ${written}`)).toEqual([
      `3:11 steps.0.manual: ${written} is literal text: write the variable as \${email}`,
    ]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a file has it
  for (const fine of ["${email}", "$${email}", "$5.00", "$other", "{{other}}"])
    expect(await say(fine)).toEqual([]);
});
