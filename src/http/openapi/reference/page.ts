import { flag, html, type Markup } from "../../pages/html.js";
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
  /** The way from the page to the server's root. */
  readonly root: "." | "..";
  /** The reference beside this one. */
  readonly other: { readonly href: string; readonly title: string };
}

const SHELL = new Shell({ styles: STYLES, script: SCRIPT, connects: true, referrer: "same-origin" });

/** The whole reference: one page that loads nothing else. */
export function referencePage(reference: Reference, nowMs: number): Response {
  const { title } = reference.document.info;
  return SHELL.answer({ title: String(title), body: bodyOf(reference) }, { nowMs, forms: "'none'" });
}

function bodyOf({ document, baseUrl, apiKey, root, other }: Reference): Markup {
  const { info, tags, components } = document;
  const groups = groupsOf(document);
  const schemas = Object.entries(components.schemas);
  return html`<a class="skip" href="#reference">Skip to the reference</a>
<div class="frame">
<nav aria-label="Contents"><details open><summary>Contents</summary>
<label class="search" hidden>Filter <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<fieldset class="languages"><legend>Examples in</legend>${[
    ["curl", "curl"],
    ["js", "JavaScript"],
    ["python", "Python"],
  ].map(
    ([id, name], index) =>
      html`<label><input type="radio" name="language" id="in-${id}"${flag("checked", index === 0)}> ${name}</label>`,
  )}</fieldset>
<button type="button" id="unfold" hidden>Unfold all</button>
${tags.map(({ name }) => contents(name, groups.get(name) ?? []))}
<div><p class="tag">Schemas</p><ul>${schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul></div>
</details></nav>
<main id="reference" tabindex="-1" data-root="${root}"${apiKey !== undefined && html` data-key="${apiKey}"`}>
<div class="found" hidden><p id="found" role="status"></p><button type="button" id="rest" hidden>Show them</button></div>
<div class="intro"><h1>${String(info.title)}</h1>
${prose(String(info.description))}
<dl class="keys"><div><dt class="place">Base URL</dt><dd><code>${baseUrl}</code></dd></div>
${
  apiKey !== undefined &&
  html`<div><dt class="place">Test API key</dt><dd><code>${apiKey}</code></dd></div>
`
}<div><dt class="place">Document</dt><dd><a href="openapi.json">OpenAPI ${document.openapi}</a>, version ${String(info.version)}</dd></div>
<div><dt class="place">See also</dt><dd><a href="${other.href}">${other.title}</a>, <a href="${root}/_sandbox/dashboard">Dashboard</a></dd></div></dl>
${
  info["x-sandbox-assumption"] !== undefined &&
  html`${assumption(info["x-sandbox-assumption"] as string)}
<p class="place">On this page the mark reads <span class="mark">assumed</span>. Without a reason it means: the interface does not show the field; that it exists is assumed.</p>`
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
  return html`<div><p class="tag">${tag}</p><ul>${listed.map(
    ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
  )}</ul></div>`;
}
