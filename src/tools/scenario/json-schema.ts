import * as z from "zod/mini";
import { DURATION_PATTERN, durationSchema } from "../../core/schema/duration.js";
import { scenarioFileSchema, stepListSchema } from "../../core/schema/scenario-file.js";
import { STEP_KINDS, STEPS } from "./steps/kinds.js";

type Json = Record<string, unknown>;

/** Where the build writes it; `# yaml-language-server: $schema=PATH` makes an editor use it. */
export const SCENARIO_SCHEMA_FILE = "scenarios/schema.json";

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  name: "What the scenario is asked for by.",
  vars: `Variables, used as $\{name} in any value below. --var name=value goes before them; $\{run.id} and $\{env.NAME:-default} are there too.`,
  given: "What it runs in: a sandbox, or a namespace of a running one, created for it.",
  isolation: "snapshot: afterwards the sandbox is as it was before, charges, balances and rates included.",
  include:
    "Another file, or several: their rules and variables are added to this one's, and their steps run first.",
  charges: "How charges behave; the first matching rule applies.",
  withdrawals: "How withdrawals behave; the first matching rule applies.",
  webhooks: "What goes wrong with outgoing webhooks; the first matching rule applies.",
  faults: "What goes wrong at the API; the first matching rule that is not used up applies.",
  steps: "What is done and expected, in order: `payments-sandbox run FILE` carries it out.",
  ...Object.fromEntries(STEP_KINDS.map((kind) => [kind, STEPS[kind].says])),
  within: "Wall time.",
  tries:
    "How often the app is called in total while the response is not as expected: the customer presses again.",
  steady:
    "The app is asked again until the response is as expected, or has stayed the same for this long in wall time, or `within` is over.",
  observe: "For `explore`: calls of the app that show what it believes, looked at when all is over.",
  reset: `${STEPS.reset.says} At the top of a file, for \`explore\`: steps that set the app back before each run.`,
  tick: "For `explore`: steps that trigger the app's own scheduled work, such as a job that checks again.",
  never: "For `explore`: calls of the app, and what their responses must not be like at the end.",
  ignore: "Fields of the response to ignore, as dotted paths.",
  save: "Variable: where its value is in the result, such as body.quote_id.",
};

/** What stands in for a value that is not any text, until its variable is filled in. */
const VARIABLE = { type: "string", pattern: "\\$\\{[^{}]+\\}" };

/** The JSON Schema of scenario files, for editors: what `validate` looks at, but for the variables. */
export function scenarioJsonSchema(): Json {
  const [first, ...others] = STEP_KINDS.map((kind) => STEPS[kind].schema);
  const steps = z.optional(z.array(z.union([first!, ...others])));
  const schema = z.toJSONSchema(z.strictObject({ ...scenarioFileSchema.shape, steps }), {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === (durationSchema as z.core.$ZodType)) jsonSchema.pattern = DURATION_PATTERN.source;
      // Steps within a step are steps as any.
      if (zodSchema === (stepListSchema as z.core.$ZodType)) jsonSchema.items = { $ref: "#/$defs/step" };
    },
  }) as unknown as { properties: { steps: { items: unknown } }; $defs?: Json };
  const { steps: list } = schema.properties;
  const step = prepared(list.items);
  list.items = { $ref: "#/$defs/step" };
  return {
    ...(prepared(schema) as Json),
    title: "payments-sandbox scenario",
    $defs: { ...schema.$defs, step },
  };
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
