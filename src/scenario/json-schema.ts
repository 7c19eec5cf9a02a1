import * as z from "zod/mini";
import { DURATION_PATTERN, durationSchema } from "./duration.js";
import { STEP_SCHEMAS, scenarioFileSchema } from "./steps.js";

type Json = Record<string, unknown>;

/** Where the build writes it; `# yaml-language-server: $schema=PATH` makes an editor use it. */
export const SCENARIO_SCHEMA_FILE = "scenarios/schema.json";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  name: "What the scenario is asked for by.",
  vars: `Variables, used as $\{name} in any value below. --var name=value goes before them; $\{run.id} and $\{env.NAME:-default} are there too.`,
  charges: "How charges behave; the first rule that matches is taken.",
  withdrawals: "How withdrawals behave; the first rule that matches is taken.",
  webhooks: "What goes wrong with webhooks on the way out; the first rule that matches is taken.",
  faults: "What goes wrong at the API; the first rule that matches and is not used up is taken.",
  steps: "What is done and expected, in order: `payments-sandbox run FILE` carries it out.",
  request: "A call of the sandbox, with the namespace's key: METHOD /path.",
  app: "A call of the app under test (--app): METHOD /path.",
  manual: "What a person, or whatever drives the app, has to do.",
  wait_for: "Waits until there is such a charge, request or delivery, or until nothing is under way.",
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
  within: "Wall time.",
  save: "Variable: where its value stands in the result, such as body.quote_id.",
};

/** What stands in for a value that is not any text, until its variable is filled in. */
const VARIABLE = { type: "string", pattern: "\\$\\{[^{}]+\\}" };

/** The JSON Schema of scenario files, for editors: what `validate` looks at, but for the variables. */
export function scenarioJsonSchema(): Json {
  const [first, ...others] = Object.values(STEP_SCHEMAS);
  const steps = z.optional(z.array(z.union([first!, ...others])));
  const schema = z.toJSONSchema(z.strictObject({ ...scenarioFileSchema.shape, steps }), {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === (durationSchema as z.core.$ZodType)) jsonSchema.pattern = DURATION_PATTERN.source;
    },
  }) as Json;
  return { ...(prepared(schema) as Json), title: "payments-sandbox scenario" };
}

/** The shipped file's text. */
export function scenarioJsonSchemaText(): string {
  return `${JSON.stringify(scenarioJsonSchema(), null, 1)}\n`;
}

/** Properties that say which shape is meant, or what a thing is called: no variable there. */
const FIXED: readonly string[] = ["name", "wait_for", "$schema"];

/** Lets a variable stand wherever a value is asked for that is not any text, and says what things are. */
function prepared(node: unknown, key?: string): unknown {
  if (Array.isArray(node)) return node.map((part) => prepared(part));
  if (typeof node !== "object" || node === null) return node;
  const schema = node as Json;
  if (key !== undefined && isNarrow(schema) && !FIXED.includes(key))
    return { anyOf: [schema, VARIABLE], ...described(key) };
  const copy: Json = { ...described(key) };
  for (const [word, part] of Object.entries(schema))
    if (word === "properties")
      copy[word] = Object.fromEntries(
        Object.entries(part as Json).map(([name, one]) => [name, prepared(one, name)]),
      );
    else if (word === "items" || word === "additionalProperties") copy[word] = prepared(part, "");
    else if (word === "anyOf" || word === "oneOf") copy[word] = prepared(part);
    else copy[word] = part;
  return copy;
}

function described(key: string | undefined): Json {
  return key !== undefined && Object.hasOwn(DESCRIPTIONS, key) ? { description: DESCRIPTIONS[key] } : {};
}

/** A number, a truth value, or a text that has to be one of some or look a certain way. */
function isNarrow({ type, enum: known, const: only, pattern, anyOf }: Json): boolean {
  if (Array.isArray(anyOf)) return anyOf.some(isNarrow) && !anyOf.some(isAnyText);
  return (
    type === "number" ||
    type === "integer" ||
    type === "boolean" ||
    known !== undefined ||
    only !== undefined ||
    pattern !== undefined
  );
}

function isAnyText(schema: Json): boolean {
  return schema.type === "string" && !isNarrow(schema);
}
