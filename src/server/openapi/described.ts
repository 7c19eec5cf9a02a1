import type * as z from "zod/mini";
import type { DescribedRow } from "../http/operation.js";
import { ASSUMPTION, type Json } from "./document.js";
import { headerRefs } from "./headers.js";
import { nameOf, queryParameters, ref, saidOf } from "./schemas.js";
import type { Examples, PlayedCall } from "./story.js";

/** What is said of a call besides what its row says: what is the same for many calls. */
export interface CallParts {
  /** What lifts or changes the document's own security. */
  readonly security: Json;
  readonly parameters: readonly Json[];
  readonly needsBody: boolean;
  readonly answerHeaders: readonly string[];
  readonly errors: Readonly<Record<string, Json>>;
}

/** A row as the document has it. */
export function describedCall(row: DescribedRow, parts: CallParts, played: PlayedCall): Json {
  const { tag, summary, about, assumed } = row.says;
  const body = row.body ?? row.rawBody;
  const parameters = [
    ...pathParameters(row.path),
    ...(row.query === undefined ? [] : queryParameters(row.query as z.ZodMiniObject)),
    ...parts.parameters,
  ];
  return {
    operationId: row.id,
    tags: [tag],
    summary,
    description: about,
    ...(assumed === undefined ? {} : { [ASSUMPTION]: assumed }),
    ...parts.security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: parts.needsBody, content: json(ref(nameOf(body)), played.bodies) } }),
    responses: {
      200: {
        description: saidOf(row.answer),
        headers: headerRefs(parts.answerHeaders),
        content: json(ref(row.answer), played.answers[200] ?? {}),
      },
      ...parts.errors,
    },
  };
}

/** A path as OpenAPI writes it. */
export function braced(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** JSON of a schema, with examples by what they are called. */
export function json(schema: Json, examples: Examples): Json {
  return {
    "application/json": {
      schema,
      ...(Object.keys(examples).length === 0 ? {} : { examples: namedExamples(examples) }),
    },
  };
}

export function namedExamples(examples: Examples): Json {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [
      // A key of the document: no spaces in it.
      name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, ""),
      { summary: name, value },
    ]),
  );
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: name === "name" ? "What it is called." : `Id of the ${name!.replace(/_id$/, "")}.`,
    schema: { type: "string" },
  }));
}
