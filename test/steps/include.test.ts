// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { configFaults } from "../../src/library/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { Api, openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";

type Files = Readonly<Record<string, string>>;

/** Writes files into a new folder and returns the first path. */
function writeFiles(texts: Files): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return join(folder, Object.keys(texts)[0]!);
}

const run = async (texts: Files) => (await openSandbox()).runFile(writeFiles(texts));

const twice = (name: string) => `steps: [{ include: ${name} }, { include: ${name} }]`;
const LEVELS = Array.from({ length: 20 }, (_, n) => [`l${n}.yaml`, `name: a\n${twice(`l${n + 1}.yaml`)}`]);

it.each<[string, Files, string[]]>([
  [
    "faults in the included file",
    {
      "a.yaml": "name: a\ninclude: [b.yaml]\n",
      "b.yaml": "vars: { x: '${y}' }\nsteps: [{ advence: 1s }]\nwebhook: []",
    },
    [
      "b.yaml:1:9 vars.x: unknown variable y; known: run.id",
      "b.yaml:2:11 steps.0.advence: unknown field; did you mean advance?",
      "b.yaml:3:1 webhook: unknown field; did you mean webhooks?",
    ],
  ],
  [
    "no such file",
    { "a.yaml": "name: a\nsteps:\n  - include: none.yaml" },
    ["a.yaml:3:5 steps.0.include: none.yaml: there is no such file"],
  ],
  [
    "a circle",
    { "a.yaml": "name: a\ninclude: b.yaml", "b.yaml": "steps: [{ include: a.yaml }]" },
    ["b.yaml:1:11 steps.0.include: leads back to itself: a.yaml → b.yaml → a.yaml"],
  ],
  [
    "a step for a file without steps",
    { "a.yaml": "name: a\nsteps: [{ include: b.yaml }]", "b.yaml": "vars: {}" },
    [
      "a.yaml:2:11 steps.0.include: has no steps: its rules and variables are taken by `include` at the top of the file",
    ],
  ],
  [
    "a repeat within a repeat",
    {
      "a.yaml": "name: a\nsteps: [{ repeat: 2, steps: [{ include: b.yaml }] }]",
      "b.yaml": "steps: [{ repeat: 3, steps: [{ manual: x }] }]",
    },
    [
      "b.yaml:1:11 steps.0.repeat: cannot be inside another repeat: write one with repeat: 6, or write the inner steps out",
    ],
  ],
  [
    "more than 20,000 steps",
    { ...Object.fromEntries(LEVELS), "l20.yaml": "steps: [{ advance: 1s }]" },
    [expect.stringContaining("is one step too many: a file has at most 20000, with those it includes")],
  ],
])("reports the line of an include that is refused: %s", async (_mistake, texts, expected) => {
  const file = writeFiles(texts);
  const { faults } = await validateFile(file, { environment: {}, configFaults });
  expect(
    faults.map(({ file: of, line, column, field, message }) =>
      `${of}:${line}:${column} ${field}: ${message}`.replaceAll(join(file, "..", "/"), ""),
    ),
  ).toEqual(expected);
});

it("an include adds the variables, rules and steps of another file", async () => {
  const report = await run({
    "main.yaml": `name: main
include: common.yaml
vars: { email: main@shop.test }
charges: [{ match: { base_amount: "700*" }, timeline: [{ after: 1s, to: CANCELLED }] }]
steps:
  - pay: { amount: "700.00", customer_email: "\${email}", as: charge, until: PENDING }
  - include: later.yaml
  - expect_charge: { charge_id: "\${charge}", status: CANCELLED }
  - expect_charge: { charge_id: "\${first}", status: FAILED, customer_email: main@shop.test }`,
    "common.yaml": `vars: { email: common@shop.test }
charges: [{ timeline: [{ after: 1s, to: FAILED }] }]
steps:
  - pay: { amount: "500.00", customer_email: "\${email}", until: FAILED }
  - { request: GET /api/v1/payments/payins, save: { first: body.items.0.charge_id } }`,
    "later.yaml": "steps: [{ advance: 5s }]",
  });
  expect(report.passed, reportText(reportOfRun(report))).toBe(true);
  expect(report.steps.map(({ kind }) => kind).slice(0, 3)).toEqual(["include", "pay", "include"]);
});

it("reports a failure at its line in the included file", async () => {
  const report = await run({
    "main.yaml": "name: main\nsteps:\n  - include: more.yaml",
    "more.yaml": "steps:\n  - advance: 1s\n\n  - request: GET /api/v1/nowhere",
  });
  expect(basename(report.steps[0]!.steps![1]!.file!)).toBe("more.yaml");
  expect(reportText(reportOfRun(report))).toContain("more.yaml:4)\n");
});

it("a scenario sent to the control API cannot include a file", async () => {
  const file = writeFiles({ "a.yaml": "steps: [{ advance: 1s }]" });
  const api = new Api(await openSandbox());
  const { status, details } = await api.put("/_sandbox/scenarios/x", { steps: [{ include: file }] });
  expect([status, details]).toEqual([
    400,
    { "steps.0.include": "only a scenario that is a file can include another" },
  ]);
});
