// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  SCENARIO_SCHEMA_FILE,
  scenarioJsonSchema,
  scenarioJsonSchemaText,
} from "../../src/tools/scenario/json-schema.js";
import { STEP_KINDS } from "../../src/tools/scenario/steps/step-kinds.js";
import { ROOT } from "../support/process-command.js";

const validate = new Ajv2020({ strict: true, allErrors: true }).compile(scenarioJsonSchema());
const takes = (yaml: string): boolean => validate(parse(yaml)) as boolean;

describe("the JSON Schema of scenario files", () => {
  it("is up to date with the source: npm run build writes it", () => {
    expect(readFileSync(join(ROOT, SCENARIO_SCHEMA_FILE), "utf8")).toBe(scenarioJsonSchemaText());
  });

  it("knows every kind of step", () => {
    const { $defs } = scenarioJsonSchema() as { $defs: { step: { anyOf: unknown[] } } };
    const text = $defs.step.anyOf.map((step) => JSON.stringify(step));
    for (const kind of STEP_KINDS)
      expect(
        text.some((step) => step.includes(`"${kind}"`)),
        kind,
      ).toBe(true);
  });

  it.each(readdirSync(join(ROOT, "scenarios")).filter((file) => file.endsWith(".yaml")))(
    "accepts %s",
    (file) => {
      validate(parse(readFileSync(join(ROOT, "scenarios", file), "utf8")));
      expect(validate.errors).toBeNull();
    },
  );

  it.each([
    "name: x\nsteps: [{ advance: 1s }, { expect_charge: { count: 1, status: FAILED } }, { reset: true }]",
    "name: x\nvars: { n: 1 }\nfaults: [{ delay: '${d}', times: '${n}', probability: '${p}' }]",
    "name: x\ncharges: [{ timeline: [{ after: '${d}', to: '${s}' }] }]",
    "name: x\nsteps: [{ repeat: '${n}', as: i, steps: [{ parallel: [[{ advance: 1s }], [{ reset: true }]] }] }]",
    "name: x\nsteps: [{ expect_delivery: { answered: '${a}', count: '${n}' } }, { wait_for: idle, within: 1h30m }]",
  ])("accepts %s", (yaml) => {
    expect(takes(yaml)).toBe(true);
  });

  it.each([
    "name: x\nsteps: [{ advence: 1s }]",
    "name: x\nsteps: [{ advance: 1s, app: GET /x }]",
    "name: x\nsteps: [{ repeat: 3, steps: [{ advence: 1s }] }]",
    "name: x\nsteps: [{ expect_charge: { stauts: FAILED } }]",
    "name: x\nsteps: [{ wait_for: chrage }]",
    "name: x\ncharges: [{ timeline: [{ after: 2x, to: FAILED }] }]",
    "name: x\ncharges: [{ timeline: [{ after: 2s, to: PAID }] }]",
    "name: x\nfaults: [{ delay: 1s, times: many }]",
    "steps: []",
  ])("does not accept %s", (yaml) => {
    expect(takes(yaml)).toBe(false);
  });
});
