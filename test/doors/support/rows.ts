import { expect } from "vitest";
import type { OpenApiDocument } from "../../../src/server/openapi/document.js";
import { type Answer, okBody, openApi, TIMESTAMP } from "../../support/api-client.js";
import { ControlAnswers, control, type Described } from "../../support/openapi-control.js";

export type Fields = Readonly<Record<string, unknown>>;

/** An operation as its document describes it. */
export interface Row {
  /** Prefixed, because both APIs have a `getCharge`. */
  readonly name: string;
  readonly id: string;
  readonly isService: boolean;
  readonly method: string;
  /** Path with parameters as `{name}`. */
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly query: readonly { readonly name: string; readonly schema: Fields }[];
  readonly needsKey: boolean;
  readonly takesKey: boolean;
  /** Undefined for an operation without a body. */
  readonly body: BodyOfRow | undefined;
}

interface BodyOfRow {
  readonly isRequired: boolean;
  /** Examples of the document; at least one. */
  readonly examples: readonly Fields[];
  readonly fields: readonly string[];
  /** True if the document accepts the body. */
  accepts(body: unknown): boolean;
}

const service = new ControlAnswers(okBody(await (await openApi()).get<OpenApiDocument>("/openapi.json")));

/** Every operation except the stream, whose response never ends. */
export const ROWS: readonly Row[] = [
  ...service.operations.map((one) => rowOf(service, one)),
  ...control.operations.filter(({ id }) => id !== "followStream").map((one) => rowOf(control, one)),
];

function rowOf(api: ControlAnswers, described: Described & { security?: readonly object[] }): Row {
  const { id, method, path, parameters, requestBody } = described;
  const isService = api === service;
  const security = described.security ?? [{ apiKey: [] }];
  const { schema, examples = {} } = requestBody?.content["application/json"] ?? {};
  return {
    name: `${isService ? "service" : "control"} ${id}`,
    id,
    isService,
    method,
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query: parameters.filter((one) => one.in === "query"),
    needsKey: isService && security.length === 1,
    takesKey: isService && security.length > 0,
    body: schema && {
      isRequired: requestBody!.required,
      examples:
        Object.keys(examples).length === 0
          ? [{}]
          : Object.values(examples).map(({ value }) => value as Fields),
      fields: fieldsOf(api, schema),
      accepts: (body) => api.takes(id, body),
    },
  };
}

function fieldsOf(api: ControlAnswers, schema: unknown): string[] {
  type Parts = { $ref?: string; properties?: object; anyOf?: unknown[]; oneOf?: unknown[] };
  const { $ref, properties = {}, anyOf = [], oneOf = anyOf } = schema as Parts;
  if ($ref !== undefined) return fieldsOf(api, api.document.components.schemas[$ref.split("/").at(-1)!]);
  return [...new Set([...Object.keys(properties), ...oneOf.flatMap((part) => fieldsOf(api, part))])];
}

/** Checks the headers of a response. The test setup and the client compare its body with the document. */
export function checkForm<Body>(answer: Answer<Body>): Answer<Body> {
  const names = ["content-type", "sandbox-now", "x-content-type-options"];
  const form = names.map((name) => answer.headers.get(name));
  expect(form).toEqual([
    expect.stringMatching(/^application\/json\b/),
    expect.stringMatching(TIMESTAMP),
    "nosniff",
  ]);
  return answer;
}
