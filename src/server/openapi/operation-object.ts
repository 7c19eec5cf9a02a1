import { OUTPUTS, type OutputName } from "../../core/schema/outputs.js";
import { bodySchema, type CallText, type OperationRow, querySchema } from "../http/operation-row.js";
import { ASSUMPTION_KEY, type OpenApiJson } from "./document.js";
import type { CallExamples, NamedExamples } from "./example-recorder.js";
import { headerRefs } from "./headers.js";
import { queryParameters, schemaNameOf, schemaNote, schemaRef } from "./schemas.js";

/** The parts of an Operation Object that many calls have in common. */
export interface SharedOperationParts {
  /** Overrides the document's security. */
  readonly security: OpenApiJson;
  readonly parameters: readonly OpenApiJson[];
  readonly needsBody: boolean;
  readonly responseHeaders: readonly string[];
  readonly links: OpenApiJson;
  readonly errors: Readonly<Record<string, OpenApiJson>>;
}

export function operationObject(
  row: OperationRow<CallText, unknown, OutputName> & { readonly tag: string; readonly assumed?: string },
  parts: SharedOperationParts,
  examples: CallExamples,
): OpenApiJson {
  const { id, call, tag, summary, description, assumed, output } = row;
  const [query, body] = [querySchema(row), bodySchema(row)];
  const parameters = [
    ...pathParameters(call, examples.params),
    ...(query === undefined ? [] : queryParameters(query)),
    ...parts.parameters,
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(assumed === undefined ? {} : { [ASSUMPTION_KEY]: assumed }),
    ...parts.security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: parts.needsBody,
            content: jsonContent(schemaRef(schemaNameOf(body)), examples.bodies),
          },
        }),
    responses: {
      200: {
        description: schemaNote(OUTPUTS[output]),
        headers: headerRefs(parts.responseHeaders),
        content: jsonContent(schemaRef(output), examples.responses[200] ?? {}),
        ...(Object.keys(parts.links).length === 0 ? {} : { links: parts.links }),
      },
      ...parts.errors,
    },
  };
}

export function jsonContent(schema: OpenApiJson, examples: NamedExamples): OpenApiJson {
  return {
    "application/json": {
      schema,
      ...(Object.keys(examples).length === 0 ? {} : { examples: examplesObject(examples) }),
    },
  };
}

/** Makes OpenAPI's `examples` object, with the key `no-JSON-object` for the name `no JSON object`. */
export function examplesObject(examples: NamedExamples): OpenApiJson {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [
      // Keys of components must match ^[A-Za-z0-9._-]+$.
      name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, ""),
      { summary: name, value },
    ]),
  );
}

function pathParameters(call: string, examples: CallExamples["params"]): OpenApiJson[] {
  return [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: name === "name" ? "Its name." : `Id of the ${name!.replace(/_id$/, "")}.`,
    schema: { type: "string" },
    ...(examples[name!] === undefined ? {} : { example: examples[name!] }),
  }));
}
