import { packageText } from "./core/files/package.js";
import type { documentOf as made } from "./openapi-documents.js";

/** Reads a document that the build has written. */
export const documentOf: typeof made = async (api) => JSON.parse(packageText(`dist/openapi-${api}.json`));
