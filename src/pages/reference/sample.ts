import { CHARGE_STATUS_TABLE } from "../../core/schema/statuses.js";
import type { OpenApiDocument } from "../../server/openapi/document.js";
import {
  type DocumentOperation,
  type DocumentSchema,
  exampleOf,
  examplesOf,
  operationsOf,
  refName,
  schemaOf,
} from "./schema-markup.js";

type Values = Readonly<Record<string, unknown>>;

const CHARGE_ID = "ch_0fe6adcf135a11e36eb247bc";
const CREATED_AT = "2026-01-31T09:00:00.000Z";
const EXPIRES_AT = "2026-01-31T10:00:00.000Z";
const FIRST_STEP_AT = "2026-01-31T09:00:01.000Z";
const EVENT = {
  id: "evt_bf97a3a164010d696c2bec1f",
  type: "webhook.test",
  timestamp: CREATED_AT,
  mode: "test",
  data: { hello: "app" },
};
const HEADERS = { "webhook-id": EVENT.id, "webhook-timestamp": "1769850000" };
const REQUEST = {
  method: "POST",
  path: "/api/v1/payments/whitelabel",
  operation: "createWhitelabel",
  status: 200,
  api_key: "sk_test_…dbox",
  request_body: { payment_method: "mobile_money", phone_number: "+254700000001" },
  request_body_bytes: 63,
  response_body: { charge_id: CHARGE_ID, status: "PENDING" },
  response_body_bytes: 61,
};
const CHARGE = { updated_at: CREATED_AT, expires_at: EXPIRES_AT };
const KEYS = { api_key: "sk_test_sandbox", live_api_key: "sk_live_sandbox", seed: "payments-sandbox" };

/** Values of fields by schema, also for the schemas in it; "" is the schema itself. */
const VALUES: Readonly<Record<string, Values>> = {
  AdvanceReport: { at: EXPIRES_AT, to: EXPIRES_AT, ref: CHARGE_ID },
  Advice: {
    id: "balances_too_often",
    advice: "Read balances at most every 10 seconds; 30 to 60 are enough.",
    why: "balances were read again too soon",
    example: "request 12 at 2026-01-31T09:00:04.000Z",
    docs: "docs/api.md#advice",
  },
  Attempt: { request_headers: HEADERS, status: 200, response_body: "ok" },
  BookReport: {
    passed: false,
    compared: ["status"],
    message: "COMPLETED, 3305.63 KES; the app says pending",
  },
  Charge: CHARGE,
  ChargeFate: { scenario: "default", timeline: [{ after: "1s", to: "AWAITING_PAYMENT" }], notes: [] },
  ControlBalance: { available_balance: "1105.10", pending_balance: "0.00" },
  ControlBankAccount: { currency: "NGN", country: "NG" },
  ControlCharge: CHARGE,
  Counts: { charges: 0, quotes: 0, withdrawals: 0, events: 0, deliveries: 0, webhook_endpoints: 0, tasks: 0 },
  Coverage: {
    operations: { met: { createWhitelabel: 1 }, not_met: ["createQuote"] },
    statuses: { met: { COMPLETED: 1 }, not_met: ["FAILED"] },
    events: { met: { "charge.completed": 1 }, not_met: ["charge.failed"] },
    error_codes: { met: { NOT_FOUND: 1 }, not_met: ["INSUFFICIENT_BALANCE"] },
    mishaps: { met: { retry: 1 }, not_met: ["duplicate"] },
  },
  Delivery: {
    ...EVENT,
    status: "delivered",
    answered: 200,
    url: "http://localhost:3000/webhooks",
    body: JSON.stringify(EVENT),
  },
  EventRecord: EVENT,
  EventPayload: EVENT,
  Fault: { applied: 0 },
  FailedTestDetail: { test: "shop.test.ts > an order is paid" },
  Lease: { run: "build-1042" },
  MailboxItem: { type: EVENT.type, headers: HEADERS, ack_within_ms: 15_000 },
  Namespace: { ...KEYS, charges: 0 },
  Next: { id: CHARGE_ID, at: FIRST_STEP_AT, what: "timeline", to: ["AWAITING_PAYMENT"] },
  Organization: { name: "Sandbox Shop" },
  RequestEntry: REQUEST,
  RequestHappening: REQUEST,
  RunReport: {
    file: "checkout.yaml",
    passed: true,
    run_id: "r1042",
    title: "POST /orders",
    never_happened_at: [],
  },
  Sandbox: KEYS,
  Scenario: { applied: { "charges.0": 0 } },
  StateDump: { at: 1_769_850_000_000 },
  Story: { charge: { charge_id: CHARGE_ID, status: "COMPLETED" } },
  Task: { id: CHARGE_ID, kind: "timeline", due_at: FIRST_STEP_AT, to: "AWAITING_PAYMENT", webhook_id: null },
  WaitResult: { "": { idle: true, now: CREATED_AT } },
  WebhookEndpoint: { url: null, events: ["*"] },
};

/** Values of fields by name. */
const COMMON: Values = {
  name: "checkout",
  namespace: "default",
  body: JSON.stringify(EVENT),
  event_id: EVENT.id,
  delivery_id: "dlv_6e58ccaadd749a3668c3dc7f",
  entry_id: "le_3",
  fault_id: "flt_646a7992280adddf59baefd0",
  webhook_secret: "whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=",
};

/** Values of fields by operation. */
const RESULTS: Readonly<Record<string, Values>> = {
  activateScenario: { active: true },
  clearRequests: { total: 0, items: [] },
  takeLease: { held: true },
};

/** Strings for a pattern: the first that it allows. */
const STRINGS = [CREATED_AT, "25.00", "KES", "5s", "sk_test_sandbox"];

/**
 * Returns a function that makes an operation's response: its required fields and those that its object is created
 * with, one item in a list. Values are the request's, those above, and those of `service`'s recorded examples.
 */
export function createSampler(document: OpenApiDocument, service: OpenApiDocument) {
  const schemas: Readonly<Record<string, DocumentSchema>> = document.components.schemas;
  const recorded = new Map<string, unknown[]>();
  const record = (value: unknown): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [name, part] of Object.entries(value)) {
      recorded.set(name, [...(recorded.get(name) ?? []), part]);
      record(part);
    }
  };
  const creations = operationsOf(service).filter(({ method, path }) => `${method} ${path[0]}` === "POST /");
  for (const { responses } of creations) examplesOf(responses[200]).forEach(record);
  for (const { requestBody } of creations) examplesOf(requestBody).forEach(record);
  const sent = new Map<string, Values>();
  for (const { method, path, requestBody, responses } of operationsOf(document))
    for (const { $ref = "" } of [schemaOf(requestBody), schemaOf(responses[200])])
      if (requestBody !== undefined && (method === "PUT" || !path.includes("{")) && !sent.has(refName($ref)))
        sent.set(refName($ref), Object(exampleOf(requestBody)));

  const resolve = (schema: DocumentSchema) =>
    schema.$ref === undefined ? schema : schemas[refName(schema.$ref)]!;
  const fits = (unresolved: DocumentSchema, value: unknown): boolean => {
    const schema = resolve(unresolved);
    const { anyOf, oneOf, enum: values, pattern, required = [], type } = schema;
    const choices = anyOf ?? oneOf;
    if (choices !== undefined) return choices.some((choice) => fits(choice, value));
    if (values !== undefined && !values.includes(value)) return false;
    if (pattern !== undefined && !new RegExp(pattern).test(String(value))) return false;
    if (required.some((name) => !Object.hasOwn(Object(value), name))) return false;
    return type === undefined || typesOf(value).some((one) => [type].flat().includes(one));
  };
  const sample = (unresolved: DocumentSchema, field: string, outer: Values): unknown => {
    const schema = resolve(unresolved);
    const name = refName(unresolved.$ref ?? "");
    const known = name === "" ? outer : { ...sent.get(name), ...outer, ...VALUES[name] };
    const { anyOf, oneOf, properties, required, items, enum: values = [], examples = [] } = schema;
    const choices = anyOf ?? oneOf ?? [];
    const candidates = [
      known[field],
      COMMON[field],
      ...(recorded.get(field) ?? []),
      ...(fits(schema, null) ? [null] : [...examples, ...values]),
    ];
    const value = candidates.find((one) => one !== undefined && fits(schema, one));
    if (value !== undefined) return value;
    if (properties !== undefined)
      return Object.fromEntries(
        Object.keys(properties)
          .filter((one) => required?.includes(one) !== false || fits(properties[one]!, known[one]))
          .map((one) => [one, sample(properties[one]!, one, known)]),
      );
    if (choices[0] !== undefined) return sample(choices[0], field, known);
    if (items !== undefined) return [sample(items, "", known)].filter((item) => item !== undefined);
    return sampleOfType(schema);
  };
  return (operation: DocumentOperation) => {
    const [, parameter = ""] = /\{(\w+)\}/.exec(operation.path) ?? [];
    const facts = { version: document.info.version, object_id: recorded.get(parameter)?.[0] };
    return sample(schemaOf(operation.responses[200]), "", { ...knownOf(operation), ...facts });
  };
}

/** The request's values, and those that follow from it. */
function knownOf({ method, operationId, path, requestBody }: DocumentOperation): Values {
  const body = Object(exampleOf(requestBody));
  const [moved] = Object.entries(CHARGE_STATUS_TABLE).flatMap(([status, { verb }]) =>
    verb !== undefined && operationId.startsWith(verb) ? [status] : [],
  );
  return {
    ...(method === "PUT" && path.endsWith("{name}") ? { name: "example" } : {}),
    kind: path.slice(path.lastIndexOf("/") + 1).replace("-", "_"),
    ...RESULTS[operationId],
    ...body,
    status: body.status ?? body.to ?? moved ?? body.until,
    failure_reason: body.to && body.reason,
  };
}

function typesOf(value: unknown): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

function sampleOfType({ type, minimum = 1, pattern }: DocumentSchema): unknown {
  if (type === "integer" || type === "number") return Math.max(1, minimum);
  if (type === "boolean") return false;
  if (type === "object") return {};
  return pattern === undefined ? undefined : STRINGS.find((text) => new RegExp(pattern).test(text));
}
