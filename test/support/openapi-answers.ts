import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { type DescribedResponse, operationsOf, shippedDocument } from "./openapi-document.js";

const ID = "https://payments-sandbox.test/openapi.json";

/** Returns a validator for the document's schemas. It checks formats only in responses. */
export function schemaValidator(
  document: object,
  { assertFormats }: { assertFormats: boolean } = { assertFormats: true },
): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    validateFormats: assertFormats,
    // Optimizing the generated code takes too long.
    code: { optimize: false },
  });
  formats.default(ajv);
  ajv.addSchema(document, ID);
  const compiled = new Map<string, ValidateFunction>();
  return (pointer) => {
    let validate = compiled.get(pointer);
    if (validate === undefined) compiled.set(pointer, (validate = ajv.compile({ $ref: `${ID}${pointer}` })));
    return validate;
  };
}

/** Makes an unknown field in a response an error. */
export function strictly(document: OpenApiDocument): OpenApiDocument {
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      "properties" in schema ? { additionalProperties: false, ...schema } : schema,
    ]),
  );
  return { ...document, components: { ...document.components, schemas } };
}

const document = strictly(await shippedDocument());
const validatorAt = schemaValidator(document);
const operations = new Map(operationsOf(document).map(({ operation }) => [operation.operationId, operation]));

/** Returns the errors of a response; empty when it matches. */
export function answerFaults(operationId: string, status: number, body: unknown): string[] {
  const operation = operations.get(operationId);
  if (operation === undefined) return [`the document has no operation ${operationId}`];
  const described = operation.responses[status];
  if (described === undefined) return [`the document has no answer ${status} of ${operationId}`];
  const response = "$ref" in described ? resolve(described.$ref) : described;
  const schema = response.content?.["application/json"].schema;
  if (schema === undefined) return [];
  return faultsAt(schema.$ref, body).map((fault) => `${operationId} ${status}: ${fault}`);
}

/** Returns the errors of an event by the document. */
export function eventFaults(type: string, payload: unknown): string[] {
  return faultsAt(`#/webhooks/${type}/post/requestBody/content/application~1json/schema`, payload);
}

function faultsAt(pointer: string, value: unknown): string[] {
  const validate = validatorAt(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`,
  );
}

function resolve(reference: string): DescribedResponse {
  return document.components.responses[reference.split("/").at(-1)!] as DescribedResponse;
}

/** Throws when a response does not match the document. */
export function checkAnswer(operationId: string, status: number, body: unknown): void {
  const faults = answerFaults(operationId, status, body);
  if (faults.length > 0) throw new Error(`not as documented:\n${faults.join("\n")}\n${JSON.stringify(body)}`);
}
