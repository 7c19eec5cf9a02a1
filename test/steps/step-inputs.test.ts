import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { isJsonObject } from "../../src/core/schema/json-objects.js";
import { configFaults } from "../../src/library/options.js";
import {
  SCENARIO_SCHEMA_FILE,
  scenarioJsonSchema,
  scenarioJsonSchemaText,
} from "../../src/tools/scenario/json-schema.js";
import type { StepKind } from "../../src/tools/scenario/steps/step-kinds.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { SHIPPED } from "../scenarios/support/shipped.js";
import { openApi } from "../support/api-client.js";
import { ROOT } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";

type Step = Readonly<Record<string, unknown>>;

interface SchemaPart {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly anyOf?: readonly SchemaPart[];
}

/** A valid step of each kind that the control API accepts. */
const VALID: Readonly<Record<Exclude<StepKind, "include" | "run">, Step>> = {
  request: {
    request: "GET /health",
    headers: { "x-id": "1" },
    expect: { status: "2xx" },
    save: { s: "status" },
  },
  app: { app: "GET /orders", within: "1s", tries: 2, steady: "1s" },
  pay: { pay: { amount: "19.99", currency: "KES", method: "card", until: "COMPLETED", as: "c1" } },
  pay_twice: { pay_twice: { checkout_id: "co_1", payment_method: "card", at_once: true } },
  cancel_then_pay: { cancel_then_pay: { checkout_id: "co_1" }, expect: { status: 409 } },
  close_page: { close_page: { checkout_id: "co_1", until: "PROCESSING" } },
  manual: { manual: "Pay the order" },
  wait_for: { wait_for: "charge", match: { status: "COMPLETED" }, count: 1, within: "1s" },
  advance: { advance: "10m", quiet: "1s", retry: "1s" },
  expect_charge: { expect_charge: { status: "FAILED", charge_id: "ch_1", count: { gte: 1 } } },
  expect_webhook: { expect_webhook: { type: "charge.failed", data: { charge_id: "ch_1" } } },
  expect_delivery: { expect_delivery: { type: "charge.failed", answered: "2xx" } },
  expect_request: { expect_request: { operation: "createQuote", spacing: { gte: "1s" } } },
  expect_sequence: { expect_sequence: { types: ["charge.failed"], charge_id: "ch_1" } },
  expect_balance: { expect_balance: { currency: "KES", change: "+19.99" } },
  expect_withdrawal: { expect_withdrawal: { status: "FAILED", count: 0 } },
  reconcile: { reconcile: { app: "GET /orders", map: { charge_id: "id" }, statuses: { done: "paid" } } },
  transition: { transition: { charge_id: "ch_1", to: "FAILED", reason: "declined" } },
  partial_refund: { partial_refund: { charge_id: "ch_1", amount: "5.00", reason: "damaged" } },
  chargeback: { chargeback: { charge_id: "ch_1", reason: "fraud" } },
  bounce: { bounce: { withdrawal_id: "wd_1", reason: "closed" } },
  trigger: { trigger: { type: "webhook.test", data: { hello: 1 } } },
  fault: { fault: { match: { operation: "createQuote" }, respond: { status: 503 } } },
  scenario: { scenario: { use: "declined" } },
  repeat: { repeat: 2, as: "i", steps: [{ advance: "1s" }] },
  parallel: { parallel: [[{ advance: "1s" }], [{ reset: true }]] },
  reset: { reset: { ids: "repeat" } },
};

function omit(record: Step, field: string): Step {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
}

/** Mistakes that every kind of step refuses in the same way. */
function commonMistakes(kind: string, step: Step): [mistake: string, step: Step, fault: RegExp][] {
  const second = kind === "manual" ? "advance" : "manual";
  return [
    ["unknown field", { ...step, naem: "x" }, /\.naem: unknown field; did you mean name\?$/],
    [
      "__proto__",
      Object.fromEntries([["__proto__", {}], ...Object.entries(step)]),
      /__proto__: unknown field; known: name, /,
    ],
    ["empty name", { ...step, name: "" }, /\.name: must not be empty$/],
    [
      "second action",
      { ...step, [second]: "1s" },
      /: a step has one action, and this one has \w+ already: begin another with -$/,
    ],
    [
      "no action",
      omit(step, kind),
      /: (a step needs an action: one of request, |\w+ belongs to the step of an action: )/,
    ],
  ];
}

function mistakes(kind: string, step: Step): [mistake: string, step: Step][] {
  const { [kind]: action } = step;
  const withAction = (value: unknown) => ({ ...step, [kind]: value });
  return [
    ["wrong type", withAction(0.5)],
    ["null", withAction(null)],
    ["too long", withAction("x".repeat(20_000))],
    ...Object.keys(omit(step, kind)).map((field): [string, Step] => [
      `wrong ${field}`,
      { ...step, [field]: 0.5 },
    ]),
    ...(isJsonObject(action)
      ? [["unknown field", withAction({ ...action, naem: "x" })] as [string, Step]]
      : []),
    ...Object.keys(isJsonObject(action) ? action : {}).flatMap((field): [string, Step][] => [
      [`no ${field}`, withAction(omit(action as Step, field))],
      [`wrong ${field}`, withAction({ ...(action as Step), [field]: [0.5] })],
    ]),
  ];
}

const isInSchema = new Ajv2020({ strict: true }).compile(scenarioJsonSchema());

it("each step gives the same result in a file and through the control API", async () => {
  const api = await openApi();
  /** Returns the faults, after comparing the file with the control API. */
  const faultsOf = async (step: Step): Promise<string> => {
    const scenario = { name: "x", steps: [step] };
    const file = fileWith(stringify(scenario));
    const result = await validateFile(file, { environment: {}, configFaults });
    // An unknown name is an error in the control API, but a warning in a file.
    const faults = [...result.faults, ...result.warnings].map(
      ({ field, message }) => [field, message] as const,
    );
    const { status, json } = await api.put("/_sandbox/scenarios/x", scenario);
    const expected = faults.length === 0 ? [200, undefined] : [400, Object.fromEntries(faults)];
    expect([status, json.error?.details]).toEqual(expected);
    return [isInSchema(scenario) ? "✓" : "✗", ...faults.map((fault) => fault.join(": "))].join(" ");
  };
  let written = "In the schema or not, and the faults.\n";
  for (const [kind, step] of Object.entries(VALID)) {
    expect([kind, await faultsOf(step)]).toEqual([kind, "✓"]);
    for (const [mistake, wrong, fault] of commonMistakes(kind, step))
      expect(await faultsOf(wrong), mistake).toMatch(fault);
    written += `\n${JSON.stringify(step)}\n`;
    for (const [mistake, wrong] of mistakes(kind, step))
      written += `${mistake.padEnd(20)} ${await faultsOf(wrong)}\n`;
  }
  await expect(written).toMatchFileSnapshot("step-inputs.txt");
});

it.each(["pay", "partial_refund"] as const)("validate refuses an amount with a comma in %s", async (kind) => {
  const steps = [{ [kind]: { ...(VALID[kind][kind] as Step), amount: "1,00" } }];
  const { faults } = await validateFile(fileWith(stringify({ name: "x", steps })), {
    environment: {},
    configFaults,
  });
  expect(faults).toMatchObject([
    { field: `steps.0.${kind}.amount`, message: 'must be a decimal string such as "100.00"' },
  ]);
});

it("scenarios/schema.json is up to date", () => {
  expect(readFileSync(join(ROOT, SCENARIO_SCHEMA_FILE), "utf8")).toBe(scenarioJsonSchemaText());
});

it("scenarios/schema.json has an identifier, and describes each rule field and each field of a reset", () => {
  const schema = scenarioJsonSchema() as unknown as {
    $id: string;
    properties: Record<string, { items: SchemaPart }>;
    $defs: { step: SchemaPart };
  };
  expect(() => new URL(schema.$id)).not.toThrow();
  const undescribed = (part: SchemaPart): string[] =>
    (part.anyOf ?? [])
      .flatMap(undescribed)
      .concat(
        Object.entries(part.properties ?? {}).flatMap(([name, { description }]) =>
          description ? [] : [name],
        ),
      );
  for (const list of ["charges", "withdrawals", "webhooks", "faults"])
    expect([list, undescribed(schema.properties[list]!.items)]).toEqual([list, []]);
  const reset = schema.$defs.step.anyOf!.find(({ properties }) => properties?.reset !== undefined);
  expect(undescribed(reset!.properties!.reset!)).toEqual([]);
});

it("scenarios/schema.json accepts each shipped scenario, and variables as values", () => {
  for (const { name, value } of SHIPPED) expect([name, isInSchema(value)]).toEqual([name, true]);
  const open = parse(`
name: x
charges: [{ timeline: [{ after: "\${d}", to: "\${s}" }] }]
faults: [{ delay: "\${d}", times: "\${n}", probability: "\${p}" }]
steps:
  - include: other.yaml
  - { repeat: "\${n}", as: i, steps: [{ expect_delivery: { answered: "\${a}", count: "\${n}" } }] }`);
  expect(isInSchema(open)).toBe(true);
});

it.each([
  ["an unknown step in a repeat", { steps: [{ repeat: 3, steps: [{ advence: "1s" }] }] }],
  ["an unknown duration", { charges: [{ timeline: [{ after: "2x", to: "FAILED" }] }] }],
  ["an unknown status", { charges: [{ timeline: [{ after: "2s", to: "PAID" }] }] }],
  ["a word for a number", { faults: [{ delay: "1s", times: "many" }] }],
  ["no name", { name: undefined }],
])("scenarios/schema.json refuses %s", (_mistake, part) => {
  expect(isInSchema(JSON.parse(JSON.stringify({ name: "x", ...part })))).toBe(false);
});
