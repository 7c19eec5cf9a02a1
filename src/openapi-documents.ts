import type { OpenOptions } from "./options.js";
import type { Sandbox } from "./sandbox.js";
import { controlDocument } from "./server/openapi/control.js";
import type { Api, DocumentOf } from "./server/openapi/serve.js";
import { serviceDocument } from "./server/openapi/service.js";
import { playService } from "./server/openapi/service-story.js";

type Open = (options: OpenOptions) => Promise<Sandbox>;
type Made = ReturnType<DocumentOf>;

const made: Partial<Record<Api, Made>> = {};

/**
 * The document of an API; the service's examples are calls of a sandbox of their own. The build writes the documents
 * and bundles `openapi-documents-built.ts`, which reads them, in place of this module.
 */
export function documentOf(api: Api, open: Open): Made {
  return (made[api] ??= makers[api](open));
}

const makers: Readonly<Record<Api, (open: Open) => Made>> = {
  service: async (open) => {
    const sandbox = await open({ clock: "manual", start_time: "2026-01-31T09:00:00.000Z" });
    try {
      return serviceDocument(await playService((request) => sandbox.fetch(request)));
    } finally {
      await sandbox.close();
    }
  },
  control: async () => controlDocument(),
};
