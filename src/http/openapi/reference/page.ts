import { html, type Markup } from "../../pages/html.js";
import { Shell } from "../../pages/shell.js";
import type { OpenApiDocument } from "../document.js";
import { assumption } from "./fields.js";
import { type Listed, operationsOf, type Schema, webhooksOf } from "./model.js";
import { operationSection, schemaSection, webhookSection } from "./operation.js";
import { SCRIPT } from "./script.js";
import { STYLES } from "./styles.js";
import { prose } from "./text.js";

export interface Reference {
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
  /** The key in the examples; undefined where calls need none. */
  readonly apiKey: string | undefined;
  /** The reference beside this one. */
  readonly other: { readonly href: string; readonly title: string };
}

const SHELL = new Shell({ styles: STYLES, script: SCRIPT, referrer: "no-referrer" });

/** The whole reference: one page that loads nothing else. */
export function referencePage(reference: Reference, nowMs: number): Response {
  const { title } = reference.document.info;
  return SHELL.answer({ title: String(title), body: bodyOf(reference) }, { nowMs, forms: "'none'" });
}

function bodyOf({ document, baseUrl, apiKey, other }: Reference): Markup {
  const { info, tags, components } = document;
  const groups = groupsOf(document);
  const schemas = Object.entries(components.schemas);
  return html`<a class="skip" href="#reference">Skip to the reference</a>
<div class="frame">
<nav aria-label="Contents"><details open><summary>Contents</summary>
<label class="search" hidden>Filter <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
${tags.map(({ name }) => contents(name, groups.get(name) ?? []))}
<p class="tag">Schemas</p><ul>${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</details></nav>
<main id="reference" tabindex="-1">
<div class="intro"><h1>${String(info.title)}</h1>
${prose(String(info.description))}
<dl class="keys"><div><dt class="place">Base URL</dt><dd><code>${baseUrl}</code></dd></div>
${
  apiKey !== undefined &&
  html`<div><dt class="place">API key of test mode</dt><dd><code>${apiKey}</code></dd></div>
`
}<div><dt class="place">Document</dt><dd><a href="openapi.json">OpenAPI ${document.openapi}</a>, version ${String(info.version)}</dd></div>
<div><dt class="place">See also</dt><dd><a href="${other.href}">${other.title}</a></dd></div></dl>
${
  info["x-sandbox-assumption"] !== undefined &&
  html`${assumption(info["x-sandbox-assumption"] as string)}
<p class="place">A bare mark, without a reason, stands for: the interface does not show the field; that it exists is assumed.</p>`
}</div>
${tags.map(
  ({ name, description }) => html`<div class="group"><h2 id="tag-${name}">${name}</h2><p>${description}</p>
${(groups.get(name) ?? []).map((listed) =>
  name === "Events" ? webhookSection(document, listed) : operationSection(document, listed, baseUrl, apiKey),
)}</div>`,
)}
<div class="group"><h2 id="schemas">Schemas</h2>${schemas.map(([name, schema]) => schemaSection(name, schema as Schema))}</div>
</main>
</div>
<p class="unseen" role="status" id="said"></p>`;
}

function groupsOf(document: OpenApiDocument): Map<string, Listed[]> {
  const groups = new Map<string, Listed[]>();
  for (const listed of [...operationsOf(document), ...webhooksOf(document)]) {
    const tag = listed.operation.tags[0]!;
    groups.set(tag, [...(groups.get(tag) ?? []), listed]);
  }
  return groups;
}

function contents(tag: string, listed: readonly Listed[]): Markup {
  return html`<p class="tag">${tag}</p><ul>${listed.map(
    ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
  )}</ul>`;
}
