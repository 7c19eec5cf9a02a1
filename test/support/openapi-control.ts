import { controlDocument } from "../../src/server/openapi/control-document.js";
import type { OpenApiDocument, OpenApiJson } from "../../src/server/openapi/document.js";
import { fillPlaceholders } from "../../src/server/openapi/serve.js";
import { schemaValidator } from "./openapi-answers.js";
import { operationsOf, shippedFacts } from "./openapi-document.js";

/** Returns the control API's document with the default fixtures. */
export async function shippedControlDocument(): Promise<OpenApiDocument> {
  return fillPlaceholders(controlDocument(), await shippedFacts());
}

/** Closes every object schema that lists its fields. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== "object" || part === null) return part;
  const schema = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  return isObjectSchema(schema) ? { additionalProperties: false, ...schema } : schema;
}

function isObjectSchema({ type, properties }: OpenApiJson): boolean {
  return type === "object" && typeof properties === "object" && properties !== null;
}

/** Makes an unknown field in a response an error. */
export function closedDocument(document: OpenApiDocument): OpenApiDocument {
  const schemas = closed(document.components.schemas) as OpenApiDocument["components"]["schemas"];
  return { ...document, components: { ...document.components, schemas } };
}

export interface Described {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly parameters: readonly { name: string; in: string; schema: OpenApiJson }[];
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
}
interface DescribedAnswer {
  readonly headers: Readonly<Record<string, object>>;
  readonly content: Readonly<Record<string, Content>>;
}
interface Content {
  readonly schema: OpenApiJson;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Checks responses of the control API against the document. */
export class ControlAnswers {
  readonly document: OpenApiDocument;
  readonly operations: readonly Described[];
  readonly #validatorAt: ReturnType<typeof schemaValidator>;
  /** Validators of request bodies, which may have other fields. */
  readonly #bodyValidatorAt: ReturnType<typeof schemaValidator>;

  constructor(document: OpenApiDocument) {
    this.document = closedDocument(document);
    this.#validatorAt = schemaValidator(this.document);
    this.#bodyValidatorAt = schemaValidator(document, { assertFormats: false });
    this.operations = operationsOf(document).map(({ path, method, operation }) => ({
      ...(operation as unknown as Described),
      id: operation.operationId,
      method,
      path,
      parameters: (operation.parameters ?? []) as Described["parameters"],
    }));
  }

  /** Finds the operation of a call by its method and path. */
  find(method: string, path: string): Described | undefined {
    const fits = (one: Described) =>
      one.method === method && new RegExp(`^${one.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
    return this.operations.find(fits);
  }

  /** Returns the errors of a response; empty when it matches. */
  faults(method: string, path: string, status: number, headers: Headers, text: string): string[] {
    const operation = this.find(method, path);
    if (operation === undefined) return [`the document has no ${method} ${path}`];
    const described = operation.responses[status];
    if (described === undefined) return [`the document has no answer ${status} of ${operation.id}`];
    const pointer =
      "$ref" in described
        ? described.$ref
        : `#/paths/${escaped(operation.path)}/${method.toLowerCase()}/responses/${status}`;
    const answer = (
      "$ref" in described ? this.document.components.responses[described.$ref.split("/").at(-1)!] : described
    ) as DescribedAnswer;
    const faults = Object.keys(answer.headers)
      .filter((name) => !headers.has(name))
      .map((name) => `there is no header ${name}`);
    const [type] = headers.get("content-type")!.split(";");
    if (answer.content[type!] === undefined) return [...faults, `${type} is not documented`];
    const validate = this.#validatorAt(`${pointer}/content/${escaped(type!)}/schema`);
    if (!validate(type === "application/json" ? JSON.parse(text) : text))
      for (const { instancePath, message, params } of validate.errors!)
        faults.push(`${instancePath || "the body"} ${message} ${JSON.stringify(params)}`);
    return faults.map((fault) => `${operation.id} ${status}: ${fault}`);
  }

  /** True if the document accepts the body. */
  takes(id: string, body: unknown): boolean {
    const { path, method } = this.operations.find((one) => one.id === id)!;
    const place = `#/paths/${escaped(path)}/${method.toLowerCase()}/requestBody`;
    return this.#bodyValidatorAt(`${place}/content/application~1json/schema`)(body);
  }

  /** Validates a record against the named schema. */
  schemaFaults(name: string, value: unknown): string[] {
    const validate = this.#validatorAt(`#/components/schemas/${name}`);
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message, params }) =>
      `${name}${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
    );
  }
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Checks the control responses that test clients receive. */
export const control = new ControlAnswers(await shippedControlDocument());
