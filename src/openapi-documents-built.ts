import { packageText } from "./core/files/package.js";
import type { documentOf as made } from "./openapi-documents.js";

/** The document of an API, as the build has written it down. */
export const documentOf: typeof made = async (api) => JSON.parse(packageText(`dist/openapi-${api}.json`));
