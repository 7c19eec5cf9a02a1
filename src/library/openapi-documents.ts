import { controlDocument } from "../server/openapi/control-document.js";
import type { ApiName, DocumentLoader } from "../server/openapi/serve.js";
import { serviceDocument } from "../server/openapi/service-document.js";
import { recordServiceExamples } from "../server/openapi/service-examples.js";
import type { UnresolvedOptions } from "./options.js";
import type { Sandbox } from "./sandbox.js";

type Open = (options: UnresolvedOptions) => Promise<Sandbox>;
type DocumentPromise = ReturnType<DocumentLoader>;

const documents: Partial<Record<ApiName, DocumentPromise>> = {};

/**
 * Creates the OpenAPI document of an API. The examples in the service's document are recorded from calls to a sandbox.
 * The build writes both documents to files and replaces this module with `openapi-documents-built.ts`.
 */
export function openApiDocumentOf(api: ApiName, open: Open): DocumentPromise {
  return (documents[api] ??= creators[api](open));
}

const creators: Readonly<Record<ApiName, (open: Open) => DocumentPromise>> = {
  service: async (open) => {
    const sandbox = await open({ clock: "manual", start_time: "2026-01-31T09:00:00.000Z" });
    try {
      return serviceDocument(await recordServiceExamples((request) => sandbox.fetch(request)));
    } finally {
      await sandbox.close();
    }
  },
  control: async () => controlDocument(),
};
