import { readPackageFile } from "../core/files/package.js";
import type { openApiDocumentOf as made } from "./openapi-documents.js";

/** Reads a document that the build has written. */
export const openApiDocumentOf: typeof made = async (api) =>
  JSON.parse(readPackageFile(`dist/openapi-${api}.json`));
