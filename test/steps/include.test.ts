// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import { DocumentError, faultText } from "../../src/core/files/documents.js";
import { readScenarioFile } from "../../src/tools/scenario/files.js";
import { Api, openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { failed } from "../support/scenario-run.js";

/** Files in a folder of their own; the path of the first. */
function files(texts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return join(folder, Object.keys(texts)[0]!);
}

/** Faults, each with the name of its file. */
async function faults(texts: Readonly<Record<string, string>>): Promise<string[]> {
  const file = files(texts);
  const short = (text: string) => text.replaceAll(join(file, "..", "/"), "");
  try {
    await readScenarioFile(file, { runIdOf: () => "1" });
    return [];
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return error.faults.map((fault) => short(faultText(fault)));
  }
}

const run = async (texts: Readonly<Record<string, string>>) => (await openSandbox()).run(files(texts));

it("an unknown word is refused in an included file, and so is a repeat that includes another", async () => {
  expect(await faults({ "a.yaml": "name: a\ninclude: b.yaml", "b.yaml": "define: {}" })).toEqual([
    expect.stringMatching(/^b\.yaml:1:1 define: unknown field/),
  ]);
  expect(
    await faults({
      "a.yaml": "name: a\nsteps: [{ repeat: 2, steps: [{ include: b.yaml }] }]",
      "b.yaml": "steps: [{ repeat: 3, steps: [{ manual: x }] }]",
    }),
  ).toEqual([
    "b.yaml:1:11 steps.0.repeat: cannot be inside another repeat: write one with repeat: 6, or write the inner steps out",
  ]);
});

it("a step with an alias runs repeatedly", async () => {
  const order = 'pay: { amount: "500.00", customer_email: a@shop.test }';
  const report = await run({
    "a.yaml": `name: a\nsteps:\n  - &order\n    ${order}\n  - *order\n  - expect_charge: { customer_email: a@shop.test, count: 2 }`,
  });
  expect(failed(report)).toBeUndefined();
});

describe("include", () => {
  it("adds another file's variables, rules and steps", async () => {
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
    expect(failed(report), reportText(reportOfRun(report))).toBeUndefined();
    expect(report.steps.map(({ title }) => title).slice(0, 3)).toEqual([
      "include common.yaml",
      expect.stringMatching(/^pay amount: 700.00/),
      "include later.yaml",
    ]);
  });

  it("reports a failure at its line in the included file", async () => {
    const report = await run({
      "main.yaml": "name: main\nsteps:\n  - include: more.yaml",
      "more.yaml": "steps:\n  - advance: 1s\n\n  - request: GET /api/v1/nowhere",
    });
    const file = basename(report.steps[0]!.steps![1]!.file!);
    expect(file).toBe("more.yaml");
    expect(reportText(reportOfRun(report))).toContain("more.yaml:4\n");
  });

  it("reports a fault of a file in that file, and a fault of the include at the include", async () => {
    expect(
      await faults({
        "a.yaml": "name: a\ninclude: [b.yaml]\n",
        "b.yaml": "vars: { x: '${y}' }\nsteps: [{ advence: 1s }]\nwebhook: []",
      }),
    ).toEqual([
      "b.yaml:1:9 vars.x: unknown variable y; known: run.id",
      "b.yaml:2:11 steps.0.advence: unknown field; did you mean advance?",
      "b.yaml:3:1 webhook: unknown field; did you mean webhooks?",
    ]);
    expect(await faults({ "a.yaml": "name: a\nsteps:\n  - include: none.yaml" })).toEqual([
      "a.yaml:3:5 steps.0.include: none.yaml: there is no such file",
    ]);
    expect(
      await faults({ "a.yaml": "name: a\ninclude: b.yaml", "b.yaml": "steps: [{ include: a.yaml }]" }),
    ).toEqual(["b.yaml:1:11 steps.0.include: leads back to itself: a.yaml → b.yaml → a.yaml"]);
    expect(await faults({ "a.yaml": "name: a\nsteps: [{ include: b.yaml }]", "b.yaml": "vars: {}" })).toEqual(
      [
        "a.yaml:2:11 steps.0.include: has no steps: its rules and variables are taken by `include` at the top of the file",
      ],
    );
  });

  it("limits the steps of files that include each other", async () => {
    const twice = (name: string) => `steps: [{ include: ${name} }, { include: ${name} }]`;
    const levels = Array.from({ length: 20 }, (_, n) => [
      `l${n}.yaml`,
      `name: a\n${twice(`l${n + 1}.yaml`)}`,
    ]);
    const last = { "l20.yaml": "steps: [{ advance: 1s }]" };
    expect((await faults({ ...Object.fromEntries(levels), ...last })).join()).toMatch(
      /is one step too many: a file has at most 20000, with those it includes/,
    );
  });

  it("reads no file for a scenario sent by the control API", async () => {
    const file = files({ "a.yaml": "steps: [{ advance: 1s }]" });
    const api = new Api(await openSandbox());
    const answer = await api.put("/_sandbox/scenarios/x", { steps: [{ include: file }] });
    expect(answer).toMatchObject({
      status: 400,
      json: {
        error: { details: { "steps.0.include": "only a scenario that is a file can include another" } },
      },
    });
    expect(readFileSync(file, "utf8")).toContain("advance");
  });
});
