import * as z from "zod/mini";
import {
  amountSchema,
  httpUrlSchema,
  METADATA_MAX_BYTES,
  METADATA_MAX_KEYS,
  metadataSchema,
  rateSchema,
  timestampSchema,
} from "../../schema/common.js";
import { instantSchema } from "../../schema/control.js";
import { DURATION_PATTERN, durationSchema, waitDurationSchema } from "../../schema/duration.js";
import { LONGEST } from "../../schema/lengths.js";
import { clockOptionSchema } from "../../schema/options.js";
import { PAYIN_LIMIT_DEFAULT, PAYIN_LIMIT_MAX, pageQuerySchema } from "../../schema/requests.js";
import { INSTANT_PATTERN } from "../../schema/time.js";
import { annotate, type Component } from "./component.js";
import { accountComponents } from "./components/account.js";
import { catalogueComponents } from "./components/catalogue.js";
import { errorComponents } from "./components/errors.js";
import { instructionComponents } from "./components/instructions.js";
import { paymentComponents } from "./components/payments.js";
import { payoutComponents } from "./components/payouts.js";
import { quoteComponents } from "./components/quotes.js";
import { requestComponents } from "./components/requests.js";
import { eventComponents, webhookComponents } from "./components/webhooks.js";
import type { Facts } from "./facts.js";
import type { Json } from "./types.js";

const REF = "#/components/schemas/";

export function ref(component: string): Json {
  return { $ref: REF + component };
}

/** Every named schema of the document, made of the zod schemas that check requests and describe answers. */
export function componentSchemas(facts: Facts): Record<string, Json> {
  return schemasOf(facts, allComponents(facts));
}

/** The named schemas of some components, which name each other where one is within the other. */
export function schemasOf(facts: Facts, components: readonly Component[]): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const { name, schema } of components) registry.add(schema, { id: name });
  const made = z.toJSONSchema(registry, {
    io: "input",
    uri: (id) => REF + id,
    override: overrides(facts),
  }).schemas as Record<string, Json>;
  return Object.fromEntries(
    components.map((component) => {
      const { $schema, $id, ...schema } = made[component.name]!;
      return [component.name, annotate(schema, component)];
    }),
  );
}

function allComponents(facts: Facts): Component[] {
  return [
    ...requestComponents(facts),
    ...catalogueComponents(facts),
    ...quoteComponents(facts),
    ...instructionComponents(),
    ...paymentComponents(facts),
    ...accountComponents(facts),
    ...payoutComponents(facts),
    ...webhookComponents(),
    ...eventComponents(),
    ...errorComponents(),
  ];
}

/** The parameters of a query, by name. */
export function querySchemas(facts: Facts, query: z.ZodMiniObject): Record<string, Json> {
  const made = z.toJSONSchema(query, { io: "input", override: overrides(facts) });
  return made.properties as Record<string, Json>;
}

type Override = (context: { zodSchema: z.core.$ZodType; jsonSchema: object }) => void;

/** What zod checks by a refinement, or says in a way no reader would follow, in JSON Schema's words. */
function overrides(facts: Facts): Override {
  const fraction = facts.decimals === 0 ? "" : `(\\.\\d{1,${facts.decimals}})?`;
  const instead = new Map<z.core.$ZodType, Json>([
    [amountSchema, { type: "string", pattern: `^(?=.*[1-9])(0|[1-9]\\d{0,29})${fraction}$` }],
    [timestampSchema, { type: "string", format: "date-time", pattern: TIMESTAMP_PATTERN }],
    [durationSchema, { type: "string", pattern: DURATION_PATTERN.source, maxLength: 100 }],
    [waitDurationSchema, { type: "string", pattern: DURATION_PATTERN.source, maxLength: 100 }],
    [instantSchema, { type: "string", pattern: INSTANT_PATTERN.source }],
    [rateSchema, { type: "string", pattern: "^(?=.*[1-9])(0|[1-9]\\d{0,29})(\\.\\d{1,30})?$" }],
    [clockOptionSchema, { type: "string", pattern: CLOCK_PATTERN }],
    [
      httpUrlSchema,
      { type: "string", format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://.", maxLength: LONGEST.url },
    ],
    [
      metadataSchema,
      {
        type: "object",
        maxProperties: METADATA_MAX_KEYS,
        // Bytes cannot be counted here; a character has at least one.
        propertyNames: { maxLength: METADATA_MAX_BYTES, not: { const: "__proto__" } },
        additionalProperties: { type: "string", maxLength: METADATA_MAX_BYTES },
      },
    ],
    [
      pageQuerySchema.shape.limit,
      { type: "integer", minimum: 1, maximum: PAYIN_LIMIT_MAX, default: PAYIN_LIMIT_DEFAULT },
    ],
    [pageQuerySchema.shape.offset, { type: "integer", minimum: 0, default: 0 }],
  ]);
  return ({ zodSchema, jsonSchema }) => {
    const schema = jsonSchema as Json;
    const other = instead.get(zodSchema);
    if (other !== undefined) {
      for (const keyword of Object.keys(schema)) delete schema[keyword];
      Object.assign(schema, structuredClone(other));
    }
    // The largest safe integer is no limit anybody set.
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    // The names of a record are strings whatever else.
    if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  };
}

const CLOCK_PATTERN = "^(real|manual|(?=[^x]*[1-9])(\\d{1,7}|\\d{1,6}\\.\\d{1,6})x)$";
const TIMESTAMP_PATTERN = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$";
