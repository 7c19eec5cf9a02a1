import { Catalogue } from "../../src/core/domain/catalogue.js";
import { DEFAULT_SETTINGS } from "../../src/core/schema/settings.js";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import {
  createPlaceholderLookup,
  fillPlaceholders,
  type PlaceholderLookup,
} from "../../src/server/openapi/serve.js";
import { serviceDocument } from "../../src/server/openapi/service-document.js";
import { loadShippedContent } from "../../src/tools/scenario/shipped.js";

/** Returns the service's document without servers and examples. */
export async function shippedDocument(): Promise<OpenApiDocument> {
  return fillPlaceholders(serviceDocument(), await shippedFacts());
}

export async function shippedFacts(): Promise<PlaceholderLookup> {
  const { fixtures } = await loadShippedContent();
  return createPlaceholderLookup({ catalogue: new Catalogue(fixtures), settings: DEFAULT_SETTINGS }, "0.0.0");
}

/** Fields of an operation that tests read. */
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

export function operationsOf({ paths }: Pick<OpenApiDocument, "paths">) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as unknown as DescribedOperation,
    })),
  );
}

/** Text of an HTML element without children. */
export function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
