// docs/scenario-reference.md: keys of scenario files and kinds of steps, from their schemas.
import { code, definitions, firstSentence, page } from "./markdown.mjs";

const INTRODUCTION = `Every key of a file; how to write one: [scenarios](scenarios.md). Durations are \`500ms\`, \`30s\`, \`10m\`, \`2h\`, \`1d\`, or sums of
them. A key without \`?\` is required.`;

const MATCH = `Every field given must match; without \`match\` a rule applies to everything. Text is a glob (\`*\` any characters, \`?\` one; \`\\*\` and \`\\?\`
are literal), a list means any of them, and a [matcher](#matchers) compares. The fields of`;

const MATCHERS = "The same in rules, expectations and waits. All words given must hold.";

const STEPS = `A step has one action, with the keys in parentheses beside it, \`name\` and \`save\`: variable → path of its value in
the result, such as \`body.quote_id\`. \`…\` stands for [fields of the API](api.md#fields); of events and deliveries only ids: \`data\` has the rest. \`expect_charge\` takes those of a charge.`;

/** Keys inside an action that neither its description nor a list of the page explains. */
const INSIDE = {
  until: "The status at which it stops.",
  at_once: "Both tabs at the same moment.",
  "delivery_id, event_id, webhook_id": "The delivery, its event, its endpoint.",
  at: "When it was emitted.",
  "data, payload": "The charge or withdrawal in the event; the whole event as sent.",
  mishap: "The rule that disturbed the delivery.",
  "attempt, error": "The attempt's number, from 1; why it had no response.",
  "next_attempt_at, retry_after_ms":
    "When the next attempt is due; what the response's `Retry-After` asked for.",
  "request_headers, request_body, response_body": "The attempt's, or the call's.",
  "operation, method, path, query, api_key, idempotency_key, status": "Those of the call.",
  "scenario, fault": "The scenario that the call's header names; the fault that it met.",
  "in_flight, client_gone": "The call has no response yet; the app disconnected before it.",
  tolerated: "Parts of the call that the service ignored.",
  "map, statuses, partial": "As in [reconcile](reconcile.md#rows).",
};

export function scenarioReferencePage(source) {
  const { schemas } = source.controlDocument().components;
  const file = source.scenarioJsonSchema();
  const chargeEntry = merged(schemas.ChargeEntry);
  const keys = (name) => keyList(schemas[name]);
  const matchFields = (name) => fieldsOf(schemas[name]).map(code).join(", ");
  const matched = new Set(["ChargeMatch", "WithdrawalMatch"].flatMap((name) => fieldsOf(schemas[name])));
  const further = (name) =>
    fieldsOf(schemas[name])
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
    definitions([
      ["charges", matchFields("ChargeMatch")],
      ["withdrawals", matchFields("WithdrawalMatch")],
      ["webhooks", `those of the charge or withdrawal; ${further("WebhookMatch")}, of the event`],
      ["faults", `those that the body of the call has; ${further("FaultMatch")}`],
    ]),
    "### matchers",
    MATCHERS,
    keys("Matcher"),
    "## Steps",
    STEPS,
    stepList(file.$defs.step.anyOf, source),
    "Keys inside an action:",
    insideList(file.$defs.step.anyOf, source.STEP_KINDS),
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

/** Optional keys of steps that are fields of the API, as `key?`. */
function apiKeys({ components: { schemas } }) {
  const names = ["QuoteRequest", "WhitelabelRequest", "Charge", "Withdrawal"];
  const fields = names.flatMap((name) => fieldsOf(schemas[name])).filter((field) => field !== "status");
  return new Set(fields.map((field) => `${field}?`));
}

function stepList(schemas, { STEPS, STEP_KINDS, serviceDocument }) {
  const ofApi = apiKeys(serviceDocument());
  return definitions(
    STEP_KINDS.map((kind, index) => {
      const { properties } = merged(schemas[index]);
      const beside = Object.keys(properties).filter((key) => key !== kind && !COMMON.has(key));
      const all = actionKeys(properties[kind]);
      const own = all.filter((key) => !ofApi.has(key));
      const inside = own.length < all.length ? [...own, "…"] : own;
      const action = code(inside.length === 0 ? kind : `${kind}: {${inside.join(", ")}}`);
      const keys = beside.length === 0 ? "" : ` (${beside.map(code).join(", ")})`;
      return [action + keys, STEPS[kind].description];
    }),
  );
}

/** The keys of INSIDE, each of which some step must have. */
function insideList(schemas, kinds) {
  const known = new Set(
    schemas.flatMap((schema, index) => fieldsOf(merged(merged(schema).properties[kinds[index]]))),
  );
  return definitions(
    Object.entries(INSIDE).map(([keys, meaning]) => {
      const missing = keys.split(", ").filter((key) => !known.has(key));
      if (missing.length > 0) throw new Error(`scenario-reference.mjs: no step has the key ${missing}`);
      return [keys.split(", ").map(code).join(", "), meaning];
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
