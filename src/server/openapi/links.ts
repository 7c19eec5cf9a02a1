import * as z from "zod/mini";
import { OUTPUTS, type OutputName } from "../../core/schema/outputs.js";
import { bodySchema, type CallText, type OperationRow } from "../http/operation-row.js";
import type { OpenApiJson } from "./document.js";

type Row = OperationRow<CallText, unknown, OutputName>;

/** Every record names its organization, which no call makes. */
const NEVER_MADE = ["organization_id"];

/** OpenAPI links from a call that makes an id to the calls that take it, in the path or in the body. */
export function linksOf(row: Row, rows: readonly Row[]): OpenApiJson {
  if (!row.call.startsWith("POST ") || pathFields(row).length > 0) return {};
  const known = [...bodyFields(row), ...NEVER_MADE];
  const made = fieldsOf(OUTPUTS[row.output], isAlwaysThere).filter(
    (name) => /_id$/.test(name) && !known.includes(name),
  );
  return Object.fromEntries(
    rows.flatMap((target) => {
      const parameters = pathFields(target);
      if (parameters.some((name) => !made.includes(name))) return [];
      const fields = parameters.length > 0 ? [] : bodyFields(target).filter((name) => made.includes(name));
      const link = {
        operationId: target.id,
        ...(parameters.length === 0 ? {} : { parameters: expressionsFor(parameters) }),
        ...(fields.length === 0 ? {} : { requestBody: expressionsFor(fields) }),
      };
      return parameters.length + fields.length === 0 ? [] : [[target.id, link]];
    }),
  );
}

function expressionsFor(names: readonly string[]): OpenApiJson {
  return Object.fromEntries(names.map((name) => [name, `$response.body#/${name}`]));
}

function pathFields({ call }: Row): string[] {
  return [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function bodyFields(row: Row): string[] {
  const body = bodySchema(row);
  return body === undefined ? [] : fieldsOf(body);
}

/** An id that may be missing or null names another record. */
const isAlwaysThere = (field: z.core.$ZodType): boolean =>
  !(field instanceof z.ZodMiniOptional || field instanceof z.ZodMiniNullable);

/** Names of an object's fields; of a union those that every variant has. */
function fieldsOf(
  schema: z.core.$ZodType,
  isCounted: (field: z.core.$ZodType) => boolean = () => true,
): string[] {
  if (schema instanceof z.ZodMiniObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) =>
      isCounted(field) ? [name] : [],
    );
  if (!(schema instanceof z.ZodMiniDiscriminatedUnion)) return [];
  const [first = [], ...others] = schema.def.options.map((option) => fieldsOf(option, isCounted));
  return first.filter((name) => others.every((fields) => fields.includes(name)));
}
