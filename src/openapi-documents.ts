import { controlDocument } from "./http/openapi/control.js";
import { playControl } from "./http/openapi/control-story.js";
import type { Api, DocumentOf } from "./http/openapi/serve.js";
import { serviceDocument } from "./http/openapi/service.js";
import { playService } from "./http/openapi/service-story.js";
import type { OpenOptions } from "./options.js";
import type { Sandbox } from "./sandbox.js";

type Open = (options: OpenOptions) => Promise<Sandbox>;
type Made = ReturnType<DocumentOf>;

const made: Partial<Record<Api, Made>> = {};

/**
 * The document of an API; its examples are played on a sandbox of their own. The build writes down what comes of it,
 * and bundles `openapi-documents-built.ts`, which reads that, in the place of this module.
 */
export function documentOf(api: Api, open: Open): Made {
  return (made[api] ??= makers[api](open));
}

const makers: Readonly<Record<Api, (open: Open) => Made>> = {
  service: async (open) => serviceDocument(await playedOn(open, playService)),
  control: async (open) => controlDocument(await playedOn(open, playControl)),
};

/** A story on a clock that stands at the same instant each time. */
async function playedOn<Played>(
  open: Open,
  play: (fetch: Sandbox["fetch"]) => Promise<Played>,
): Promise<Played> {
  const sandbox = await open({ clock: "manual", start_time: "2026-01-31T09:00:00.000Z" });
  try {
    return await play((request) => sandbox.fetch(request));
  } finally {
    await sandbox.close();
  }
}
