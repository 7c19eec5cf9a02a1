import { controlDocument } from "./http/openapi/control/document.js";
import type { Documents } from "./http/openapi/serve.js";
import { serviceDocument } from "./http/openapi/service.js";
import { playService } from "./http/openapi/service-story.js";
import type { Sandbox } from "./sandbox.js";

let made: Promise<Documents> | undefined;

/**
 * The documents of both APIs; their examples are played on a sandbox that `open` gives. The build writes down what
 * comes of it, and puts a reader of that (`scripts/documents.mjs`) in the place of this module.
 */
export function documents(open: () => Promise<Sandbox>): Promise<Documents> {
  return (made ??= makeDocuments(open));
}

async function makeDocuments(open: () => Promise<Sandbox>): Promise<Documents> {
  await using sandbox = await open();
  const played = await playService((request) => sandbox.fetch(request));
  return { service: serviceDocument(played), control: controlDocument() };
}
