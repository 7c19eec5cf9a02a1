// docs/scenario-reference.md: keys of scenario files and kinds of steps, from their schemas.
import { code, definitions, firstSentence, page, table } from "./markdown.mjs";

const INTRODUCTION = `Every key of a file; how to write one: [scenarios](scenarios.md). Durations are \`500ms\`, \`30s\`, \`10m\`, \`2h\`, \`1d\`, or sums of
them. A key without \`?\` is required.`;

const MATCH = `Every field given must match; without \`match\` a rule applies to everything. Text is a glob (\`*\` any characters, \`?\` one; \`\\*\` and \`\\?\`
are literal), a list means any of them, and a [matcher](#matchers) compares.`;

const MATCHERS = "The same in rules, expectations and waits. All words given must hold.";

const STEPS = `A step has one action, with the keys in parentheses beside it, and, where they are useful, \`name\` and \`save\`: variable → path of its value in
the result, such as \`body.quote_id\`. \`expect_charge\` takes the fields of a [charge](api.md#charges).`;

export function scenarioReferencePage(source) {
  const { schemas } = source.controlDocument().components;
  const file = source.scenarioJsonSchema();
  const chargeEntry = merged(schemas.ChargeEntry);
  const keys = (name) => keyList(schemas[name]);
  const matchFields = (name) => fieldsOf(schemas[name]).map(code).join(", ");
  const matched = new Set(["ChargeMatch", "WithdrawalMatch"].flatMap((name) => fieldsOf(schemas[name])));
  const further = ({ properties }) =>
    fieldsOf(properties.match)
      .filter((field) => !matched.has(field) || field === "type")
      .map(code)
      .join(", ");
  return page("Scenario reference", [
    INTRODUCTION,
    "## The file",
    keyList({
      ...file,
      properties: {
        ...file.properties,
        ...described(schemas.ScenarioRules, ["description", "kind"]),
        reset: { ...file.properties.reset, description: firstSentence(file.properties.reset.description) },
      },
    }),
    "## Rules",
    "### charges",
    keys("ChargeRule"),
    "### timeline",
    firstSentence(schemas.ChargeEntry.description),
    keyList({
      ...chargeEntry,
      properties: {
        ...chargeEntry.properties,
        ...schemas.WithdrawalEntry.properties,
        after_expiry: {
          ...chargeEntry.properties.after_expiry,
          description: "Counted from the moment the charge expired.",
        },
      },
    }),
    "### paid",
    keys("PaidMoney"),
    "### webhooks",
    schemas.WebhookRule.description,
    keys("WebhookRule"),
    "`down` is a duration, or has these keys:",
    keys("Downtime"),
    "### faults",
    schemas.FaultRule.description,
    keys("FaultRule"),
    "### match",
    MATCH,
    table(
      ["of", "fields"],
      [
        ["charges", matchFields("ChargeMatch")],
        ["withdrawals", matchFields("WithdrawalMatch")],
        ["webhooks", `those of the charge or withdrawal; ${further(schemas.WebhookRule)}, of the event`],
        ["faults", `those that the body of the call has; ${further(schemas.FaultRule)}`],
      ],
    ),
    "### matchers",
    MATCHERS,
    keys("Matcher"),
    "## Steps",
    STEPS,
    stepList(file.$defs.step.anyOf, source),
    "Keys beside an action:",
    besideList(file.$defs.step.anyOf, source.STEP_KINDS),
  ]);
}

const described = ({ properties }, names) =>
  Object.fromEntries(names.map((name) => [name, properties[name]]));

const fieldsOf = ({ properties = {} }) => Object.keys(properties);

function keyList({ properties, required = [] }) {
  return definitions(
    Object.entries(properties)
      .filter(([name]) => name !== "$schema")
      .map(([name, schema]) => {
        const key = required.includes(name) ? name : `${name}?`;
        // The keys of `match` are in a table of their own.
        const inside = name === "match" || schema.type !== "object" ? [] : actionKeys(schema);
        const written = code(inside.length === 0 ? key : `${key}: {${inside.join(", ")}}`);
        return [[written, takes(schema)].filter(Boolean).join(" "), schema.description ?? ""];
      }),
  );
}

/** Short form of the values that a schema accepts. */
function takes({ type, enum: values, const: constant, pattern, anyOf, oneOf }) {
  const parts = anyOf ?? oneOf;
  if (parts !== undefined)
    return parts.some(isText) ? "" : [...new Set(parts.map(takes))].filter((one) => one !== "").join(", ");
  if (values !== undefined) return values.map((one) => code(String(one))).join(", ");
  if (constant !== undefined) return code(String(constant));
  if (pattern?.includes("ms|s|m")) return code("30s");
  if (type === "boolean") return code("true");
  if (type === "array") return "list";
  if (type === "integer" || type === "number") return "number";
  return "";
}

const isText = ({ type, enum: values, const: constant, pattern }) =>
  type === "string" && [values, constant, pattern].every((part) => part === undefined);

/** Keys that nearly all steps have. */
const COMMON = new Set(["name", "save"]);
/** More keys than this are those of a charge. */
const MAX_KEYS = 20;

function stepList(schemas, { STEPS, STEP_KINDS }) {
  return definitions(
    STEP_KINDS.map((kind, index) => {
      const { properties } = merged(schemas[index]);
      const beside = Object.keys(properties).filter((key) => key !== kind && !COMMON.has(key));
      const inside = actionKeys(properties[kind]);
      const action = code(inside.length === 0 ? kind : `${kind}: {${inside.join(", ")}}`);
      const keys = beside.length === 0 ? "" : ` (${beside.map(code).join(", ")})`;
      return [action + keys, STEPS[kind].description];
    }),
  );
}

/** The keys beside an action that have a description. The `steps` are those of `repeat`, whose own description has them. */
function besideList(schemas, kinds) {
  const found = new Map();
  for (const schema of schemas)
    for (const [key, { description }] of Object.entries(merged(schema).properties))
      if (description !== undefined && key !== "steps" && !COMMON.has(key) && !kinds.includes(key))
        found.set(key, description);
  return definitions([...found].map(([key, description]) => [code(key), description]));
}

/** A union of objects as one object. */
const merged = ({ properties = {}, required = [], oneOf = [], anyOf = [] }) => {
  const parts = [...oneOf, ...anyOf].filter((part) => part.properties !== undefined);
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...required, ...(parts[0]?.required ?? [])].filter((name) =>
      parts.every((part) => part.required?.includes(name)),
    ),
  };
};

function actionKeys(schema) {
  const { properties, required } = merged(schema);
  const keys = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return keys.length > MAX_KEYS ? [] : keys;
}
