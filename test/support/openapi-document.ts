import { Catalogue } from "../../src/domain/catalogue.js";
import { type OpenApiDocument, openApiDocument } from "../../src/http/openapi/document.js";
import { factsOf } from "../../src/http/openapi/facts.js";
import { loadShipped } from "../../src/scenario/shipped.js";
import { DEFAULT_SETTINGS } from "../../src/schema/settings.js";

/** The document of a sandbox with the shipped fixtures and settings, at no address. */
export async function shippedDocument(): Promise<OpenApiDocument> {
  const { fixtures } = await loadShipped();
  return openApiDocument(
    factsOf({ catalogue: new Catalogue(fixtures), settings: DEFAULT_SETTINGS }, "0.0.0", {}),
  );
}

/** The parts of an operation that tests ask for. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; schema: object }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse | { readonly $ref: string }>>;
}
export interface DescribedResponse {
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, object>>;
}
interface Content {
  readonly "application/json": {
    readonly schema: { readonly $ref: string };
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

/** Every operation of the document, with where it is. */
export function operationsOf({ paths }: Pick<OpenApiDocument, "paths">) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as unknown as DescribedOperation,
    })),
  );
}
