import { Ajv } from "ajv";

const id = (digits: number) => ({ type: "string", pattern: `^(?!0+$)[0-9a-f]{${digits}}$` });
const nanoseconds = { type: "string", pattern: "^[1-9][0-9]{18}$" };
const text = { type: "string", minLength: 1 };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const attributes = {
  type: "array",
  items: object({
    key: text,
    // An AnyValue is one of its fields; an int64 is a text in the JSON of Protocol Buffers.
    value: {
      oneOf: [object({ stringValue: text }), object({ intValue: { type: "string", pattern: "^[0-9]+$" } })],
    },
  }),
};

/** What is used of opentelemetry/proto/trace/v1/trace.proto, in the JSON mapping that OTLP/HTTP has: ids are hex, enums numbers. */
const span = object(
  {
    traceId: id(32),
    spanId: id(16),
    parentSpanId: id(16),
    name: text,
    kind: { enum: [1, 2, 3, 4, 5] },
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    events: { type: "array", items: object({ timeUnixNano: nanoseconds, name: text, attributes }) },
    status: object({ code: { enum: [0, 1, 2] }, message: text }),
  },
  ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes"],
);
const scopeSpans = object({
  scope: object({ name: text, version: text }),
  spans: { type: "array", minItems: 1, items: span },
});
const trace = object({
  resourceSpans: {
    type: "array",
    minItems: 1,
    items: object({
      resource: object({ attributes }),
      scopeSpans: { type: "array", minItems: 1, items: scopeSpans },
    }),
  },
});
const check = new Ajv({ allErrors: true }).compile(trace);

/** What a collector would not take of it. */
export function faultsOfTrace(sent: unknown): string[] {
  check(sent);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
