import { createHash } from "node:crypto";
import type { Context } from "hono";
import { DEFAULT_API_KEY } from "../../schema/options.js";
import { iso } from "../../schema/time.js";
import { referencePage } from "../openapi/reference/page.js";
import { SCRIPT } from "../openapi/reference/script.js";
import { STYLES } from "../openapi/reference/styles.js";
import { type DescribeOptions, describeFor } from "../openapi/serve.js";

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Nothing is loaded, nothing runs but the page's own style sheet and script, nobody frames it. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLES)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** `GET /docs` (contract section 7): the OpenAPI document as a page. */
export async function serveDocs(options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor("service", options, c);
  if (described instanceof Response) return described;
  const { namespace, baseUrl, document } = described;
  // The documented key, if the fixtures still have it: a key of the user's own is nobody's business here.
  const apiKey = namespace.findKey(DEFAULT_API_KEY) === undefined ? "sk_test_…" : DEFAULT_API_KEY;
  const other = { href: "_sandbox/docs", title: "The sandbox's own control API" };
  return answer(referencePage({ document, baseUrl, apiKey, other }), namespace.nowMs());
}

/** `GET /_sandbox/docs`: the same of the control API. */
export async function serveControlDocs(options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor("control", options, c);
  if (described instanceof Response) return described;
  const { namespace, baseUrl, document } = described;
  const other = { href: "../docs", title: "The service that the sandbox stands in for" };
  return answer(referencePage({ document, baseUrl, apiKey: undefined, other }), namespace.nowMs());
}

function answer(page: string, nowMs: number): Response {
  return new Response(page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "sandbox-now": iso(nowMs),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
