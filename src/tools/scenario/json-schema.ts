import * as z from "zod/mini";
import { type Note, schemaDescriptionOf } from "../../core/schema/descriptions.js";
import { scenarioFileSchema, stepListSchema } from "../../core/schema/scenario-file.js";
import { DURATION_PATTERN, durationSchema } from "../../core/schema/time.js";
import { STEP_KINDS, STEPS } from "./steps/step-kinds.js";

type JsonObject = Record<string, unknown>;

const SCENARIO_SCHEMA_ID = "urn:payments-sandbox:scenario";

/** Path of the JSON Schema. An editor uses the schema for a file with `# yaml-language-server: $schema=PATH`. */
export const SCENARIO_SCHEMA_FILE = "scenarios/schema.json";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  name: "The name by which a scenario is requested.",
  vars: `Variables, used as $\{name} in any value below. --var name=value overrides them; $\{run.id} and $\{env.NAME:-default} are predefined.`,
  given: "Options of the sandbox or namespace that is created for the run.",
  isolation: "With `snapshot` the run restores the whole earlier state at its end.",
  include:
    "Another file, or several: their rules and variables are added to this one's, and their steps run first.",
  charges: "How charges behave; the first matching rule applies.",
  withdrawals: "How withdrawals behave; the first matching rule applies.",
  webhooks: "Failures of outgoing webhooks; the first matching rule applies.",
  faults: "Failures of API calls; the first matching rule that is not used up applies.",
  steps: "Actions and expectations, in order.",
  ...Object.fromEntries(STEP_KINDS.map((kind) => [kind, STEPS[kind].description])),
  within: "Time limit, in wall time.",
  tries: "Maximum number of calls until the response is as expected, as a customer who presses again.",
  steady:
    "The call is repeated until the response is as expected, has not changed for this long in wall time, or `within` is over.",
  observe: "For `explore`: calls of the app that return its view, compared at the end of each run.",
  reset: `At the top of a file, for \`explore\`: steps that reset the app before each run. As a step: ${STEPS.reset.description}`,
  tick: "For `explore`: steps that trigger the app's scheduled jobs.",
  meanwhile:
    "For `explore`: what others do at any time, such as an edited price; each step is tried while a payment is under way.",
  allow: "For `explore`: for each kind of deviation, fields of the views that may end otherwise.",
  flow: "Instead of steps: a flow to run with the deviations of `only`, as `explore --save` writes it. The path is relative to this file.",
  only: "The deviations of `flow`, such as response_lost at createWhitelabel#1; a comma separates several. Or a life, such as life 42:17:3.",
  never: "For `explore`: calls of the app, and what their responses must not match at the end.",
  ignore: "Fields of the response to ignore, as dotted paths.",
  save: "Variable → path of its value in the result, such as body.quote_id.",
  expect:
    "Fields that the response must have; also error: CODE, dropped: true (the connection is cut), timeout: true (no response within the time). Without it the response must be a success.",
  count: "How many: a number, or bounds such as { gte: 2 }.",
  quiet: "After webhooks, waits until the app has made no call for this long in wall time.",
  retry: "Waits for the app's next call after one that a fault made fail, at most this long in wall time.",
};

/** A variable in place of a value that is not free text. */
const VARIABLE = { type: "string", pattern: "\\$\\{[^{}]+\\}" };

/** Returns the JSON Schema of scenario files for editors. The schema cannot check variables, unlike `validate`. */
export function scenarioJsonSchema(): JsonObject {
  const [first, ...others] = STEP_KINDS.map((kind) => STEPS[kind].schema);
  const steps = z.optional(z.array(z.union([first!, ...others])));
  const schema = z.toJSONSchema(z.strictObject({ ...scenarioFileSchema.shape, steps }), {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === (durationSchema as z.core.$ZodType)) jsonSchema.pattern = DURATION_PATTERN.source;
      if (zodSchema === (stepListSchema as z.core.$ZodType)) jsonSchema.items = { $ref: "#/$defs/step" };
      describeFields(zodSchema, jsonSchema);
    },
  }) as unknown as { properties: { steps: { items: unknown } }; $defs?: JsonObject };
  const { steps: list } = schema.properties;
  const step = prepare(list.items);
  list.items = { $ref: "#/$defs/step" };
  return {
    $id: SCENARIO_SCHEMA_ID,
    ...(prepare(schema) as JsonObject),
    title: "payments-sandbox scenario",
    dependentRequired: { flow: ["only"], only: ["flow"] },
    $defs: { ...schema.$defs, step },
  };
}

export function scenarioJsonSchemaText(): string {
  return `${JSON.stringify(scenarioJsonSchema(), null, 1)}\n`;
}

function describeFields(schema: z.core.$ZodType, { properties = {} }: z.core.JSONSchema.BaseSchema): void {
  for (const [name, { note }] of Object.entries(schemaDescriptionOf(schema)?.fields ?? {})) {
    const property = properties[name];
    const description = noteText(note);
    if (typeof property === "object" && description !== "") property.description ??= description;
  }
}

/** A note without the sentences that a namespace would have to complete. */
function noteText(note: Note): string {
  const { description } = typeof note === "string" ? { description: note } : note;
  return description
    .split(/(?<=\.) /)
    .filter((sentence) => !sentence.includes("{{"))
    .join(" ");
}

/** Properties that must not contain a variable, for example `wait_for`, which selects the step's schema. */
const WITHOUT_VARIABLES: readonly string[] = ["name", "wait_for", "$schema"];

/** Allows a variable for every value that is not free text, and adds descriptions. */
function prepare(node: unknown, key?: string): unknown {
  if (Array.isArray(node)) return node.map((part) => prepare(part));
  if (typeof node !== "object" || node === null) return node;
  const schema = node as JsonObject;
  if (key !== undefined && isNarrow(schema) && !WITHOUT_VARIABLES.includes(key)) {
    const { description, ...rest } = schema;
    // The rules of charges are a list; `limits.charges` is a number.
    const own = description === undefined ? (key === "charges" ? {} : descriptionOf(key)) : { description };
    return { anyOf: [rest, VARIABLE], ...own };
  }
  const copy: JsonObject = { ...descriptionOf(key) };
  for (const [word, part] of Object.entries(schema))
    if (word === "properties")
      copy[word] = Object.fromEntries(
        Object.entries(part as JsonObject).map(([name, property]) => [name, prepare(property, name)]),
      );
    else if (word === "items" || word === "additionalProperties") copy[word] = prepare(part, "");
    else if (word === "anyOf" || word === "oneOf") copy[word] = prepare(part);
    else copy[word] = part;
  return copy;
}

function descriptionOf(key: string | undefined): JsonObject {
  return key !== undefined && Object.hasOwn(DESCRIPTIONS, key) ? { description: DESCRIPTIONS[key] } : {};
}

/** A number, a boolean, an enum or a string with a pattern. */
function isNarrow({ type, enum: values, const: constant, pattern, anyOf }: JsonObject): boolean {
  if (Array.isArray(anyOf)) return anyOf.some(isNarrow) && !anyOf.some(isFreeText);
  const isTyped = type === "number" || type === "integer" || type === "boolean";
  return isTyped || [values, constant, pattern].some((part) => part !== undefined);
}

function isFreeText(schema: JsonObject): boolean {
  return schema.type === "string" && !isNarrow(schema);
}
