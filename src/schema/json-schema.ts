import * as z from "zod/mini";
import { DURATION_PATTERN, durationSchema } from "./duration.js";
import { STEP_SCHEMAS, scenarioFileSchema } from "./steps.js";

/** Where the JSON Schema of scenario files is kept, for editors. */
export const SCENARIO_SCHEMA_FILE = "scenarios/schema.json";

type Json = { [keyword: string]: unknown };

/** What an editor tells of a field, by the field's name. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  name: "What the scenario is asked for by.",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how a variable is written
  vars: "Variables, used as ${name} in any value below. --var name=value goes before them; ${run.id} and ${env.NAME:-default} are there too.",
  charges: "How charges behave; the first rule that matches is taken.",
  withdrawals: "How withdrawals behave; the first rule that matches is taken.",
  webhooks: "What goes wrong with webhooks on the way out; the first rule that matches is taken.",
  faults: "What goes wrong at the API; the first rule that matches and is not used up is taken.",
  steps: "What is done and expected, in order: `payments-sandbox run FILE` carries it out.",
  request: "A call of the sandbox, with the namespace's key: METHOD /path.",
  app: "A call of the app under test (--app): METHOD /path.",
  manual: "What a person, or whatever drives the app, has to do.",
  wait_for: "Waits until there is such a charge, request, delivery, or until nothing is under way.",
  advance: "Moves sandbox time: a duration, an ISO instant, next or idle.",
  expect_charge: "A charge is as described; with count, exactly so many are.",
  expect_webhook: "Events emitted since the run began.",
  expect_delivery: "Attempts at delivering webhooks since the run began, and the app's answers.",
  expect_request: "What the app has sent since the run began.",
  expect_balance: "A balance by value, or how much the available balance has changed since the run began.",
  transition: "Moves a charge or withdrawal to a status, as the control API does.",
  trigger: "Emits an event that nothing has caused.",
  fault: "From here on something goes wrong at the API; `clear` ends what this run has set.",
  scenario: "Turns a scenario the sandbox knows on, or off with { drop: NAME }, until the run is over.",
  reset: "Puts the namespace back to its initial state.",
  save: "Variable: where its value stands in the result, such as body.quote_id.",
  within: "Wall time.",
};

/** The JSON Schema of scenario files, as it is written to `SCENARIO_SCHEMA_FILE`. */
export function scenarioJsonSchemaText(): string {
  return `${JSON.stringify(scenarioJsonSchema(), null, 1)}\n`;
}

function scenarioJsonSchema(): Json {
  const made = toJson(scenarioFileSchema);
  const steps = Object.values(STEP_SCHEMAS).map((step) => {
    const { $schema, ...schema } = toJson(step);
    return schema;
  });
  const properties = { ...(made.properties as Json), steps: { type: "array", items: { anyOf: steps } } };
  return { ...openedUp({ ...made, properties }), title: "payments-sandbox scenario" };
}

function toJson(schema: z.core.$ZodType): Json {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === durationSchema) jsonSchema.pattern = DURATION_PATTERN.source;
    },
  }) as Json;
}

/** Text with a variable in it: anything may be written so until the variables are filled in. */
const VARIABLE = { type: "string", pattern: "\\$\\{[^{}]+\\}" };

/** The schema with a variable allowed wherever a value has to be of some kind, and each field described. */
function openedUp(schema: Json): Json {
  const opened: Json = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties")
      opened[keyword] = Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([name, field]) => [name, fieldOf(name, field)]),
      );
    else if (keyword === "additionalProperties" && typeof value === "object")
      opened[keyword] = orVariable(value as Json);
    else if (keyword === "items") opened[keyword] = openedUp(value as Json);
    else if (keyword === "anyOf" || keyword === "oneOf") opened[keyword] = (value as Json[]).map(openedUp);
    else opened[keyword] = value;
  }
  return opened;
}

function fieldOf(name: string, field: Json): Json {
  const description = DESCRIPTIONS[name];
  // The scenario's own name is what it is asked for by: no variable stands in it.
  const schema = name === "name" ? field : orVariable(field);
  if (description === undefined) return schema;
  return schema === field || !isNarrow(field) ? { description, ...schema } : { ...schema, description };
}

function orVariable(schema: Json): Json {
  return isNarrow(schema) ? { anyOf: [schema, VARIABLE] } : openedUp(schema);
}

/** Whether text with a variable in it would be refused. */
function isNarrow({ type, pattern, enum: values, anyOf }: Json): boolean {
  if (anyOf !== undefined) return (anyOf as Json[]).every((one) => isNarrow(one) || isObject(one));
  if (type === "string") return pattern !== undefined || values !== undefined;
  return type === "integer" || type === "number" || type === "boolean" || type === "null";
}

function isObject({ type }: Json): boolean {
  return type === "object";
}
