// Both OpenAPI documents, written down when the package is built: whoever asks for one is spared the making.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** In what is bundled a reader of the files stands in the place of the module that makes them. */
export const readsDocuments = {
  name: "reads-documents",
  resolveId: (source, importer) =>
    source === "./openapi-documents.js" && importer !== undefined
      ? join(importer, "../openapi-documents-built.ts")
      : undefined,
};

/**
 * @param {string} tools where the build has bundled the modules that make the documents and the sandbox to play on
 * @param {string} dist where to write
 */
export async function writeDocuments(tools, dist) {
  const [{ openApiDocumentOf }, { openSandbox }] = await Promise.all(
    ["documents.js", "opening.js"].map((file) => import(pathToFileURL(join(tools, file)).href)),
  );
  for (const api of ["service", "control"]) {
    const document = await openApiDocumentOf(api, openSandbox);
    writeFileSync(join(dist, `openapi-${api}.json`), JSON.stringify(document));
  }
}
