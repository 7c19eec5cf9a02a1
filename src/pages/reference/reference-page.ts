/**
 * The API references `/docs` and `/_sandbox/docs`, mounted by page-routes.ts: an OpenAPI document rendered as one page.
 * Nothing here depends on the state of a namespace.
 */
import type { Context } from "hono";
import { DEFAULT_API_KEY } from "../../core/schema/option-schemas.js";
import type { OpenApiDocument } from "../../server/openapi/document.js";
import { type DocumentOptions, respondWithDocument } from "../../server/openapi/serve.js";
import { escapeText, html, type Markup } from "../html.js";
import { PageShell } from "../page-shell.js";
import { REFERENCE_SCRIPT, REFERENCE_STYLES } from "./assets.js";
import {
  assumptionMark,
  type BodyDescription,
  type DocumentOperation,
  type DocumentSchema,
  operationsOf,
  parameterList,
  refName,
  renderMarkdown,
  schemaMarkup,
  typeMarkup,
} from "./schema-markup.js";

interface Reference {
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
  /** API key of the examples; undefined if calls need none. */
  readonly apiKey: string | undefined;
  readonly related: Markup;
}

const SHELL = new PageShell({ styles: REFERENCE_STYLES, script: REFERENCE_SCRIPT, referrer: "same-origin" });

/**
 * Renders an OpenAPI document as one page without further requests. A schema with a single use is shown inline,
 * any other in a section of its own.
 */
function referencePage(reference: Reference, nowMs: number): Response {
  const { info, tags, components, openapi } = reference.document;
  const title = String(info.title);
  const operations = operationsOf(reference.document);
  const inline = singleUses(reference.document);
  const schemas = Object.entries(components.schemas).filter(([name]) => !inline.has(name));
  const contents = [
    ...operations.map(({ operationId: id, summary: text, tags: [tag] }) => ({ id, text, tag })),
    ...schemas.map(([text]) => ({ id: `schema-${text}`, text, tag: "Schemas" })),
  ];
  const body = html`<a class="skip" href="#reference">Skip to the reference</a>
<div class="frame"><nav aria-label="Contents"><details open><summary>Contents</summary>
<label class="search" hidden>Filter <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<button type="button" id="unfold" hidden>Expand all</button>
${[...tags, { name: "Schemas" }].map(({ name }) => {
  const links = contents.filter(({ tag }) => tag === name);
  return html`<div><p class="tag">${name}</p><ul>${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></div>`;
})}</details></nav>
<main id="reference" tabindex="-1">
<div class="found" hidden><p id="found" role="status"></p><button type="button" id="rest" hidden>Show all</button></div>
<div class="intro"><h1>${title}</h1>${renderMarkdown(String(info.description))}
<dl class="keys"><div><dt>Base URL</dt><dd><code>${reference.baseUrl}</code></dd></div>${
    reference.apiKey !== undefined &&
    html`<div><dt>Test API key</dt><dd><code>${reference.apiKey}</code></dd></div>`
  }<div><dt>Document</dt><dd><a href="openapi.json">OpenAPI ${openapi}</a>, version ${String(info.version)}</dd></div>
<div><dt>See also</dt><dd>${reference.related}</dd></div></dl>${
    "x-sandbox-assumption" in info &&
    html`${assumptionMark(info)}
<p class="soft">On this page the mark reads <span class="mark">assumed</span>. Without a reason it means: the interface does not show the field; that it exists is assumed.</p>`
  }</div>
${tags.map(({ name, description }) => {
  const tagged = operations.filter((operation) => operation.tags[0] === name);
  return html`<div class="group"><h2 id="tag-${name}">${name}</h2><p>${description}</p>
${tagged.map((operation) => operationSection(reference, operation, inline))}</div>`;
})}
<div class="group"><h2 id="schemas">Schemas</h2>${schemas.map(([name, schema]) => section(`schema-${name}`, name, schemaMarkup(schema)))}</div>
<div class="group"><h2 id="errors">Errors of many operations</h2><dl class="fields">${Object.entries(
    components.responses,
  ).map(
    ([name, error]) => html`<div id="error-${name}"><dt>${name}</dt><dd>${errorPart(error)}</dd></div>`,
  )}</dl></div>
</main></div><p class="unseen" role="status" id="status"></p>`;
  return SHELL.respond({ title, body }, { nowMs, forms: "'none'" });
}

/** Schemas used once, as the body or response of one operation. */
function singleUses(document: OpenApiDocument): Set<string> {
  const uses = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name!,
  );
  const bodies = operationsOf(document).flatMap(({ requestBody = {}, responses: { 200: success = {} } }) =>
    [requestBody, success].map((contents) => refName(schemaOf(contents).$ref ?? "")),
  );
  return new Set(bodies.filter((name) => uses.filter((other) => other === name).length === 1));
}

/** Schema of a body. For an event, only the component schema, which is the first part of `allOf`. */
function schemaOf({ content = {} }: BodyDescription): DocumentSchema {
  const [{ schema } = { schema: {} }] = Object.values(content) as { schema: DocumentSchema }[];
  return schema.allOf?.[0] ?? schema;
}

/** A folded section, filtered by its heading and field names. */
function section(id: string, title: string, body: Markup, route?: Markup): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><details><summary><h3 id="${id}-title">${title}</h3>${route}</summary>
${body}</details></section>
`;
}

/** An operation or a webhook. */
function operationSection(
  { document, baseUrl, apiKey }: Reference,
  operation: DocumentOperation,
  inline: Set<string>,
) {
  const { operationId: id, method, path, security, parameters, requestBody, responses } = operation;
  const { 200: success, ...errors } = responses;
  const isCall = path.startsWith("/");
  const contentPart = (title: string, contents: BodyDescription) => {
    const schema = schemaOf(contents);
    const name = refName(schema.$ref ?? "");
    if (!inline.has(name)) return html`<h4>${title}: ${typeMarkup(schema)}</h4>`;
    return html`<div id="schema-${name}"><h4>${title}: ${name}</h4>${schemaMarkup(document.components.schemas[name]!)}</div>`;
  };
  const route = html`<span class="route"><span class="method ${method.toLowerCase()}">${method}</span>${isCall && html` <code>${path}</code>`} <span class="soft">${id}</span></span>`;
  const call = html`${security && html`<p class="soft">${security.length === 0 ? "No API key needed." : "The API key is optional."}</p>`}
<div class="snippet"><pre id="${id}-curl" tabindex="0">${escapeText(curlOf(operation, baseUrl, apiKey))}</pre><button type="button" class="copy" aria-label="Copy the call of ${id}" hidden>Copy</button></div>`;
  const body = html`${renderMarkdown(operation.description)}${assumptionMark(operation)}${isCall && call}
${parameters && html`<h4>Parameters</h4>${parameterList(parameters)}`}
${requestBody && contentPart("Body", requestBody)}
${success && contentPart("Response", success)}
<h4>${isCall ? "Errors" : "Your response"}</h4><dl class="fields">${Object.entries(errors).map(
    ([status, error]) => html`<div><dt><code>${status}</code></dt><dd>${errorPart(error)}</dd></div>`,
  )}</dl>`;
  return section(id, operation.summary, body, route);
}

/** An error of one operation, or a link to a shared error. */
function errorPart({ $ref, description = "", content, ...rest }: BodyDescription): Markup {
  if ($ref !== undefined) return html`<a href="#error-${refName($ref)}">${refName($ref)}</a>`;
  const examples = Object.values(content?.["application/json"]?.examples ?? {});
  return html`<p>${description.replace(/\.$/, "")}.</p>${assumptionMark(rest)}${examples.map(
    ({ value }) => html`<pre>${escapeText(JSON.stringify((value as { error: unknown }).error))}</pre>`,
  )}`;
}

/** The call as POSIX shell commands. Ids of earlier responses are shell variables, such as $CHARGE_ID. */
function curlOf(operation: DocumentOperation, baseUrl: string, apiKey: string | undefined): string {
  const { method, path, security, parameters, requestBody } = operation;
  const checks = new Set<string>();
  const variable = (name: string) => {
    const shell = name.toUpperCase();
    checks.add(`: "\${${shell}:?take it from a response}"`);
    return `$${shell}`;
  };
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_all, name: string) => variable(name))}`;
  const lines = [`curl${method === "GET" ? "" : ` -X ${method}`} "${url}"`];
  if (apiKey !== undefined && security?.length !== 0) lines.push(`-H "Authorization: Bearer ${apiKey}"`);
  if (parameters?.some(({ name }) => name === "Idempotency-Key"))
    lines.push('-H "Idempotency-Key: rent-1-first-try"');
  const [example] = Object.values(requestBody?.content?.["application/json"]?.examples ?? {});
  if (example !== undefined) {
    const mark = (name: string, value: unknown) =>
      /^(quote|destination)_id$/.test(name) && typeof value === "string" ? `\0${name}` : value;
    const body = JSON.stringify(example.value, mark, 2)
      .replace(/[\\$`]/g, "\\$&")
      .replace(/\\\\u0000(\w+)/g, (_all, name: string) => variable(name));
    lines.push('-H "Content-Type: application/json"', `-d @- <<JSON\n${body}\nJSON`);
  }
  return [...checks, lines.join(" \\\n  ")].join("\n");
}

/** `GET /docs`. */
export function serveDocs(options: DocumentOptions, c: Context): Promise<Response> {
  const related = html`<a href="_sandbox/docs">Control API reference</a>, <a href="_sandbox/dashboard">Dashboard</a>`;
  return respondWithDocument("service", options, c, ({ namespace, baseUrl, document }) => {
    // Shows only the default key, and only if the fixtures have it; a user's own key stays private.
    const apiKey = namespace.keys.find(DEFAULT_API_KEY) === undefined ? "sk_test_…" : DEFAULT_API_KEY;
    return referencePage({ document, baseUrl, apiKey, related }, namespace.nowMs());
  });
}

/** `GET /_sandbox/docs`. */
export function serveControlDocs(options: DocumentOptions, c: Context): Promise<Response> {
  const related = html`<a href="../docs">Payments API reference</a>, <a href="dashboard">Dashboard</a>`;
  return respondWithDocument("control", options, c, ({ namespace, baseUrl, document }) =>
    referencePage({ document, baseUrl, apiKey: undefined, related }, namespace.nowMs()),
  );
}
