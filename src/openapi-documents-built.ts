import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "./files/package.js";
import type { documentOf as made } from "./openapi-documents.js";

/** The document of an API, as the build has written it down. */
export const documentOf: typeof made = async (api) =>
  JSON.parse(readFileSync(join(packageRoot(), "dist", `openapi-${api}.json`), "utf8"));
