import type { OpenApiDocument } from "../document.js";
import type { Json } from "../json.js";

/** The document as the page reads it. What it shows of a schema is little, and every part may be missing. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly contentSchema?: Schema;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly "x-sandbox-assumption"?: string;
}

export interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  readonly example?: unknown;
}

/** JSON everywhere but in a stream. */
interface Content {
  readonly "application/json": Media;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly "x-sandbox-assumption"?: string;
}

export interface AnswerView {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
  readonly "x-sandbox-assumption"?: string;
}

export interface OperationView {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Json[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, AnswerView & { readonly $ref?: string }>>;
  readonly "x-sandbox-assumption"?: string;
}

export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationView;
}

/** Every operation in the document's order. */
export function operationsOf({ paths }: OpenApiDocument): Listed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as unknown as OperationView,
    })),
  );
}

/** Every webhook as if it were an operation at its own name. */
export function webhooksOf({ webhooks }: OpenApiDocument): Listed[] {
  return Object.entries(webhooks).map(([name, { post }]) => ({
    method: "POST",
    path: name,
    operation: post as unknown as OperationView,
  }));
}

/** The last part of a reference: the name of a component. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
