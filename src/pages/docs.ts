import type { Context } from "hono";
import { DEFAULT_API_KEY } from "../core/schema/options.js";
import { type DescribeOptions, describeFor } from "../server/openapi/serve.js";
import { html } from "./html.js";
import { referencePage } from "./reference/page.js";

/** `GET /docs`: the OpenAPI document as a page. */
export async function serveDocs(options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor("service", options, c);
  if (described instanceof Response) return described;
  const { namespace, baseUrl, document } = described;
  // The documented key, if the fixtures still have it: a key of the user's own is nobody's business here.
  const apiKey = namespace.keys.find(DEFAULT_API_KEY) === undefined ? "sk_test_…" : DEFAULT_API_KEY;
  const related = html`<a href="_sandbox/docs">Control API reference</a>, <a href="_sandbox/dashboard">Dashboard</a>`;
  return referencePage({ document, baseUrl, apiKey, related }, namespace.nowMs());
}

/** `GET /_sandbox/docs`: the same of the control API. */
export async function serveControlDocs(options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor("control", options, c);
  if (described instanceof Response) return described;
  const { namespace, baseUrl, document } = described;
  const related = html`<a href="../docs">Payments API reference</a>, <a href="dashboard">Dashboard</a>`;
  return referencePage({ document, baseUrl, apiKey: undefined, related }, namespace.nowMs());
}
