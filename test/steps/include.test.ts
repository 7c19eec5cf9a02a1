// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportText } from "../../src/cli/report/run-text.js";
import { DocumentError, faultText } from "../../src/files/documents.js";
import { configFaults } from "../../src/options.js";
import { readScenarioFile } from "../../src/scenario/files.js";
import { validateFile } from "../../src/scenario/validation.js";
import { Api, openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { failed } from "../support/scenario-run.js";

/** Files in a folder of their own; the path of the first. */
function files(texts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return join(folder, Object.keys(texts)[0]!);
}

/** What is wrong with them, each with the name of its file. */
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

const ORDER = `
define:
  order:
    with: { amount: "500.00" }
    steps:
      - request: POST /api/v1/payments/quotes
        body: { pricing: { base_currency: KES, amount: "\${amount}" }, payment_method: card }
        save: { quote: body.quote_id }
      - request: POST /api/v1/payments/whitelabel
        body: { quote_id: "\${quote}", pricing: { base_currency: KES, amount: "\${amount}" }, payment_method: card, customer_email: "\${email}" }
        save: { charge: body.charge_id }
`;

const run = async (texts: Readonly<Record<string, string>>) => (await openSandbox()).run(files(texts));

describe("define and use", () => {
  it("carries steps out by their name, with variables of their own; what they save is known after", async () => {
    const report = await run({
      "shop.yaml": `name: shop${ORDER}
  twice:
    - use: order
      with: { email: "\${who}" }
    - use: order
      with: { email: "\${who}", amount: "700.00" }
steps:
  - use: twice
    with: { who: a@shop.test }
  - expect_charge: { charge_id: "\${charge}", amount: "7??.*" }
  - expect_charge: { customer_email: a@shop.test, count: 2 }
  - repeat: 2
    as: i
    steps: [{ use: order, with: { email: "r\${i}@shop.test" } }]
  - expect_charge: { customer_email: "r?@shop.test", count: 2 }`,
    });
    expect(failed(report)).toBeUndefined();
    expect(report.steps[0]).toMatchObject({
      title: "use twice who: a@shop.test",
      steps: [{ kind: "use", steps: [{ kind: "request" }, { kind: "request" }] }, { kind: "use" }],
    });
  });

  it("tells what is wrong where it stands", async () => {
    expect(
      await faults({
        "a.yaml": `name: a${ORDER}
  round: [{ use: round }]
steps:
  - use: ordr
  - use: order
    with: { emial: a@b.test }
  - use: order
    with: { email: a@b.test, amount: 5 }
  - use: round`,
      }),
    ).toEqual([
      "a.yaml:10:115 define.order.steps.1.body.customer_email: unknown variable email; known: run.id",
      "a.yaml:13:13 define.round.0.use: leads back to itself: round → round",
      "a.yaml:15:5 steps.0.use: nothing is defined as ordr; did you mean order?",
      "a.yaml:17:13 steps.1.with.emial: order has no ${emial}; did you mean email?",
    ]);
  });

  it("tells once of what is no name", async () => {
    const text = `name: a\ndefine: { go: [{ advance: 1s }] }\nsteps:\n  - use: 3\n  - use: go`;
    expect(await faults({ "a.yaml": text })).toEqual([
      "a.yaml:4:5 steps.0.use: must be a string: put it in quotes",
    ]);
  });

  it("warns of what is never used, and checks it all the same", async () => {
    const text = `name: a\ndefine:\n  never: [{ request: GET /x, save: { got: "\${any}" } }]\nsteps: [{ advance: 1s }]`;
    const { faults: wrong, warnings } = await validateFile(files({ "a.yaml": text }), {
      environment: {},
      configFaults,
    });
    expect(wrong).toEqual([]);
    expect(warnings.map(({ line, field, message }) => `${line} ${field} ${message}`)).toEqual([
      "3 define.never is never used",
    ]);
    expect(await faults({ "a.yaml": text.replace("save", "svae") })).toEqual([
      "a.yaml:3:30 define.never.0.svae: unknown field; did you mean save?",
    ]);
  });

  it("does not let definitions come to more steps than anybody can have meant", async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `  l${level}: [{ use: l${level + 1} }, { use: l${level + 1} }]`,
    );
    const text = `name: a\ndefine:\n${levels.join("\n")}\n  l30: [{ advance: 1s }]\nsteps: [{ use: l0 }]`;
    expect((await faults({ "a.yaml": text })).join()).toMatch(
      /comes to \d+ steps with the repeats around it; a file may have 20000/,
    );
  });
});

describe("include", () => {
  it("takes another file's variables, rules, definitions and steps", async () => {
    const report = await run({
      "main.yaml": `name: main
include: common.yaml
vars: { email: main@shop.test }
charges: [{ match: { base_amount: "700*" }, timeline: [{ after: 1s, to: CANCELLED }] }]
steps:
  - use: order
    with: { amount: "700.00" }
  - include: later.yaml
  - expect_charge: { charge_id: "\${charge}", status: CANCELLED }
  - expect_charge: { charge_id: "\${first}", status: FAILED, customer_email: main@shop.test }`,
      "common.yaml": `vars: { email: common@shop.test }${ORDER}
charges: [{ timeline: [{ after: 1s, to: FAILED }] }]
steps:
  - use: order
  - { request: GET /api/v1/payments/payins, save: { first: body.items.0.charge_id } }`,
      "later.yaml": "steps: [{ advance: 5s }]",
    });
    expect(failed(report), reportText(report)).toBeUndefined();
    expect(report.steps.map(({ title }) => title).slice(0, 3)).toEqual([
      "include common.yaml",
      "use order amount: 700.00",
      "include later.yaml",
    ]);
  });

  it("tells what fails at the line of the file it stands in", async () => {
    const report = await run({
      "main.yaml": "name: main\nsteps:\n  - include: more.yaml",
      "more.yaml": "steps:\n  - advance: 1s\n\n  - request: GET /api/v1/nowhere",
    });
    const file = basename(report.steps[0]!.steps![1]!.file!);
    expect(file).toBe("more.yaml");
    expect(reportText(report)).toContain("more.yaml:4\n");
  });

  it("tells what is wrong with a file in that file, and what is wrong with including it where that is", async () => {
    expect(
      await faults({
        "a.yaml": "name: a\ninclude: [b.yaml]\nsteps: [{ use: go }]",
        "b.yaml": "vars: { x: '${y}' }\ndefine: { go: [{ advence: 1s }] }\nwebhook: []",
      }),
    ).toEqual([
      "b.yaml:1:9 vars.x: unknown variable y; known: run.id",
      "b.yaml:2:18 define.go.0.advence: unknown field; did you mean advance?",
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
        "a.yaml:2:11 steps.0.include: has no steps: what it defines is taken by `include` at the top of the file",
      ],
    );
  });

  it("reads no file for a scenario that came over the control API", async () => {
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
