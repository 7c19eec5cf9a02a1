import type { Context } from "hono";
import { DEFAULT_API_KEY } from "../../schema/options.js";
import { referencePage } from "../openapi/reference/page.js";
import { type DescribeOptions, describeFor } from "../openapi/serve.js";

/** `GET /docs`: the OpenAPI document as a page. */
export async function serveDocs(options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor("service", options, c);
  if (described instanceof Response) return described;
  const { namespace, baseUrl, document } = described;
  // The documented key, if the fixtures still have it: a key of the user's own is nobody's business here.
  const apiKey = namespace.keys.find(DEFAULT_API_KEY) === undefined ? "sk_test_…" : DEFAULT_API_KEY;
  const other = { href: "_sandbox/docs", title: "Control API reference" };
  return referencePage({ document, baseUrl, apiKey, root: ".", other }, namespace.nowMs());
}

/** `GET /_sandbox/docs`: the same of the control API. */
export async function serveControlDocs(options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor("control", options, c);
  if (described instanceof Response) return described;
  const { namespace, baseUrl, document } = described;
  const other = { href: "../docs", title: "Payments API reference" };
  return referencePage({ document, baseUrl, apiKey: undefined, root: "..", other }, namespace.nowMs());
}
