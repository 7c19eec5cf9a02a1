/**
 * The API references `/docs` and `/_sandbox/docs`, mounted by page-routes.ts: an OpenAPI document rendered as one page.
 * Nothing here depends on the state of a namespace.
 */
import type { Context } from "hono";
import { DEFAULT_API_KEY, DEFAULT_PORT, DEFAULT_WEBHOOK_SECRET } from "../../core/schema/option-schemas.js";
import { ASSUMPTION_KEY, type OpenApiDocument } from "../../server/openapi/document.js";
import { type DocumentOptions, respondWithDocument } from "../../server/openapi/serve.js";
import { escapeText, html, Markup } from "../html.js";
import { BASE_STYLES, COPY_SCRIPT, copyButton, PageShell } from "../page-shell.js";
import { callExample, type ExampleContext } from "./call-example.js";
import { createSampler } from "./sample.js";
import {
  assumptionMark,
  type BodyDescription,
  type DocumentOperation,
  type DocumentSchema,
  exampleOf,
  examplesOf,
  formatJson,
  inline,
  linkRepeatedAssumptions,
  operationsOf,
  parameterList,
  refName,
  renderMarkdown,
  schemaMarkup,
  schemaOf,
  typeMarkup,
} from "./schema-markup.js";
import { FIRST_STEPS, outcomeCard, progressPart, type ReferenceCard, receiverCard } from "./service-cards.js";

/** The default address, which examples in the document have; not the beginning of a longer port. */
const EXAMPLE_URL = new RegExp(`http://127\\.0\\.0\\.1:${DEFAULT_PORT}(?!\\d)`, "g");

const REFERENCE_STYLES = `
${BASE_STYLES}
html{-webkit-text-size-adjust:100%;scroll-padding-top:2.75rem}body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1,h2,h3,h4,p,ul,dl,dd,pre{margin:0}h1{font-size:1.5rem}h2{font-size:1.25rem}h3{font-size:1.0625rem;display:inline}h4{font-size:.9375rem;margin-top:1rem}
a{color:var(--accent)}ul{padding-inline-start:1.25rem}code,pre,.errors :is(dt,p>a:not(.mark)){font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
pre{overflow-x:auto;background:var(--code);border-radius:.5rem;padding:.5rem 0 .5rem .75rem;font-size:.78125rem;line-height:1.45}pre:focus-visible{outline-offset:-3px}
.frame{display:grid;gap:1rem;max-width:96rem;margin:0 auto;padding:1rem}main{display:grid;gap:2rem;min-width:0}.intro,.group{display:grid;gap:.75rem;align-content:start;min-width:0}section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.5rem 1rem;min-width:0}
summary{cursor:pointer;padding:.25rem 0}section p+p,.fields,pre,summary+p,.sides{margin-top:.5rem}
.route{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:baseline;padding-inline-start:1.125rem}.method,.required,.tag,.found{font-weight:700}.get{color:var(--accent)}.post,.patch,.put{color:var(--good)}.delete,.required{color:var(--bad)}
.soft,.type,.keys dt,.tag,.search{color:var(--soft)}.soft,.type,.required,.tag,.search,.method{font-size:.875rem}
.mark{font-size:.75rem;color:var(--soft)}main :is(p,li){max-width:62ch}.keys{display:grid;gap:.5rem 2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.75rem 1rem}.keys dt{font-size:.875rem}.keys dd:has(.copy){display:flex;align-items:center}.keys .copy{flex:none;margin-inline-start:.75rem}.found{display:flex;gap:1rem;align-items:center}
.fields>div{display:grid;gap:.25rem;padding:.5rem 0;border-top:1px solid var(--line)}.fields dd{display:grid;gap:.25rem;font-size:.9375rem}.fields p{margin:0}table{border-collapse:collapse;margin-top:.5rem;font-size:.875rem}th{text-align:start;overflow-wrap:break-word}:is(th,td){padding:.125rem 1rem .125rem 0;vertical-align:top}
.sides{display:grid;gap:.75rem 1.5rem}.sides>*{min-width:0}.sides>div>h4:first-child,.snippet h4{margin-top:0}.snippet{position:relative}.examples>*+*,p+.snippet,table+p{margin-top:.75rem}.snippet :is(h2,h4){font-size:.9375rem;line-height:2rem}.fields pre{white-space:pre-wrap;padding-inline-end:.75rem}.snippet .copy{position:absolute;inset:0 0 auto auto}
button,input{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.375rem;min-height:2rem;padding:0 .625rem}
.js nav{position:sticky;top:0;z-index:1;margin:-.25rem;padding:.25rem;max-height:45vh;overflow-y:auto;background:linear-gradient(var(--page) 0 0) bottom/100% 2rem local no-repeat,linear-gradient(transparent,var(--line)) bottom/100% 1rem no-repeat var(--page)}nav ul{list-style:none;padding:0}nav li a{display:block;padding:.25rem 0;font-size:.875rem}nav li a:not(:hover){text-decoration:none}nav [aria-current]{font-weight:700;border-inline-start:3px solid;padding-inline-start:.5rem}
.search{display:grid;gap:.25rem;margin-bottom:.5rem}.tag{margin-top:.75rem}.tag a{color:inherit}.tag a:not(:hover){text-decoration:none}nav :focus-visible{outline-offset:0}.match,:is(p,dl>div):target{background:var(--sand);box-shadow:0 0 0 .25rem var(--sand)}::placeholder{color:var(--soft);opacity:1}[hidden],html:not(.js) :is(.search,#unfold){display:none!important}html:not(.js) section:is(:target,:has(:target))>details{&::details-content{content-visibility:visible}>summary{list-style:none;pointer-events:none}}@media (hover:none),(max-width:60rem){::placeholder{opacity:0}}@media (min-width:60rem){.frame{grid-template-columns:14rem minmax(0,1fr);gap:2rem;padding:2rem 1.5rem;align-items:start}
.keys{grid-template-columns:1fr 1fr}html{scroll-padding-top:1rem}nav,.js nav{position:sticky;top:1rem;margin:0;max-height:calc(100vh - 2rem);overflow-y:auto;padding:.25rem .5rem;scroll-padding-top:7rem}search{display:block;position:sticky;top:-.25rem;padding:.25rem 0;background:var(--page)}.fields>div{grid-template-columns:minmax(0,12rem) minmax(0,1fr);gap:1rem}}
@media (min-width:80rem){.examples pre:not([id]){white-space:pre-wrap}.keys{grid-template-columns:1fr}.sides{grid:auto 1fr/minmax(0,1fr) minmax(0,1.15fr)}.examples{grid-area:1/2/3;position:sticky;top:1rem;align-self:start}.route{display:inline-flex;padding-inline-start:.5rem}}
`;

/** Unfolds link targets, copies commands and filters sections. The page is complete without it. */
const REFERENCE_SCRIPT = `${COPY_SCRIPT}
const byId = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 60rem)");
const hashTarget = () => byId(location.hash.slice(1));
const unfoldTo = (target) => {
  const section = target?.closest("section");
  section?.firstElementChild.setAttribute("open", "");
  return section;
};
// Runs before each part of the page is painted, so that nothing shifts.
const arrange = () => {
  document.querySelector("nav > details")?.toggleAttribute("open", wide.matches);
  unfoldTo(hashTarget());
};
const parsing = new MutationObserver(arrange);
parsing.observe(document, { childList: true, subtree: true });
addEventListener("DOMContentLoaded", () => {
  parsing.disconnect();
  arrange();
  const contents = document.querySelector("nav > details");
  const search = byId("search"), found = byId("found"), rest = byId("rest"), elsewhere = byId("elsewhere"), unfold = byId("unfold");
  const sections = [...document.querySelectorAll("main section")];

  const reveal = (target = hashTarget()) => {
    const section = unfoldTo(target);
    if (target?.closest("[hidden]")) { search.value = ""; filter(false); }
    // Shows the section's title too if both fit.
    const isNear = target && section && target.getBoundingClientRect().bottom - section.getBoundingClientRect().top < innerHeight - 48;
    (isNear ? section : target)?.scrollIntoView();
    mark(section ?? target?.closest(".group")?.firstElementChild);
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && contents.contains(link) && !wide.matches) contents.open = false;
    const opened = event.target.closest("section > details:not([open]) > summary")?.closest("section");
    if (opened) {
      history.replaceState(null, "", "#" + opened.id);
      mark(opened);
    }
    // A link to the current hash fires no hashchange.
    if (link?.hash && link.hash === location.hash) reveal();
  });
  unfold.addEventListener("click", () => {
    const isOpen = unfold.textContent === "Expand all";
    for (const section of sections) section.firstElementChild.open = isOpen;
    unfold.textContent = isOpen ? "Collapse all" : "Expand all";
  });

  // Prefers sections with all search words in the heading, then in descriptions and field names. A button adds sections that have the words elsewhere.
  const textOf = (section, parts) => [...section.querySelectorAll(parts)].map((part) => part.textContent).join(" ").toLowerCase();
  const linkTo = ({ id }) => document.querySelector('nav a[href="#' + id + '"]');
  const entries = sections.map((section) => {
    const name = textOf(section, ":scope > details > summary") + " " + section.dataset.words;
    const texts = [name, name + " " + textOf(section, "dt code, details > p, .about > p, h4"), section.textContent.toLowerCase()];
    return { section, name, texts, link: linkTo(section).parentElement };
  });
  const wordsOf = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean), long = words.filter((word) => word.length > 2);
    return long.length > 0 ? long : words;
  };
  const filter = (withRest) => {
    const words = wordsOf(), isFiltered = words.length > 0;
    const matches = [0, 1, 2].map((index) => entries.filter(({ texts }) => words.every((word) => texts[index].includes(word))));
    const chosen = new Set(matches.find((some) => !withRest && some.length > 0) ?? matches[2]), left = matches[2].length - chosen.size;
    for (const fold of document.querySelectorAll("nav details details")) fold.open = isFiltered;
    for (const entry of entries) entry.section.hidden = entry.link.hidden = !chosen.has(entry);
    for (const group of document.querySelectorAll(".group, nav details > div"))
      group.hidden = isFiltered && !group.querySelector(":scope > section:not([hidden]), nav li:not([hidden])");
    document.querySelector(".intro").hidden = isFiltered;
    found.parentElement.hidden = !isFiltered;
    found.textContent = chosen.size === 0 ? "Nothing found" : chosen.size + " found" + (left > 0 ? "; " + left + " more mention it" : "");
    rest.textContent = left > 0 ? "Show " + left + " more" : "Clear";
    elsewhere.hidden = chosen.size > 0;
    elsewhere.search = new URLSearchParams({ filter: search.value });
  };
  // Marks the revealed section until the page is scrolled, then the one being read, and keeps its entry in sight.
  let current, revealedAt;
  const mark = (revealed) => {
    if (revealed) revealedAt = scrollY;
    else if (scrollY === revealedAt) return;
    const read = revealed ?? entries.findLast(({ section }) => !section.hidden && section.getBoundingClientRect().top < 120)?.section;
    const next = read && linkTo(read);
    if (next === current) return;
    current?.removeAttribute("aria-current");
    next?.setAttribute("aria-current", "location");
    current = next;
    const nav = contents.parentElement;
    if (!next || !wide.matches) return;
    next.closest("details").open = true;
    nav.scrollTop = next.offsetTop - nav.clientHeight / 2;
  };
  // Examples taller than the window stick once their end is in sight.
  const sizes = new ResizeObserver((changes) => {
    for (const { target } of changes) target.style.top = Math.min(16, innerHeight - target.offsetHeight - 16) + "px";
  });
  for (const examples of document.querySelectorAll(".examples")) sizes.observe(examples);
  reveal();
  addEventListener("hashchange", () => reveal());
  addEventListener("scroll", () => mark(), { passive: true });
  // Clearing the filter returns to where it began, or to a section opened since.
  let began = { top: 0, hash: location.hash };
  const refilter = () => {
    if (found.parentElement.hidden) began = { top: scrollY, hash: location.hash };
    filter(false);
    if (search.value) scrollTo(0, 0);
    else if (location.hash === began.hash) scrollTo(began);
    else reveal();
  };
  search.addEventListener("input", refilter);
  rest.addEventListener("click", () => {
    if (rest.textContent !== "Clear") return filter(true);
    search.value = "";
    refilter();
  });
  search.value ||= new URLSearchParams(location.search).get("filter") ?? "";
  if (search.value) filter(false);
  search.addEventListener("keydown", (event) => {
    const hit = entries.find(({ section }) => !section.hidden);
    if (event.key !== "Enter" || !search.value || !hit) return;
    // The key would fold the focused section.
    event.preventDefault();
    if (!wide.matches) contents.open = false;
    history.pushState(null, "", "#" + hit.section.id);
    const hasWords = (text) => wordsOf().every((word) => text.toLowerCase().includes(word));
    const parts = hasWords(hit.name) ? [] : ["dt", "p, h4, tr, li", "pre"].flatMap((part) => [...hit.section.querySelectorAll(part)]);
    const match = parts.find((part) => hasWords(part.textContent));
    document.querySelector(".match")?.classList.remove("match");
    match?.classList.add("match");
    reveal(match);
    hit.section.querySelector("summary").focus({ preventScroll: true });
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    contents.open = true;
    search.focus();
  });
});
`;

interface Reference extends ExampleContext {
  readonly document: OpenApiDocument;
  /** The reference of the other API. */
  readonly other: { readonly href: string; readonly title: string };
  readonly dashboard: string;
  /** Id of the operation to begin with. */
  readonly firstCall: string;
  readonly firstSteps?: Markup;
  readonly webhookSecret?: string;
  readonly cards?: readonly ReferenceCard[];
  /** Makes a response of an operation without a recorded one. */
  readonly sampleOf?: (operation: DocumentOperation) => unknown;
  readonly shared?: readonly SharedError[];
}

const SHELL = new PageShell({ styles: REFERENCE_STYLES, script: REFERENCE_SCRIPT, referrer: "same-origin" });

/**
 * Renders an OpenAPI document as one page without further requests. The schema of a body or response is shown at its
 * first use, any other in a section of its own.
 */
function referencePage(given: Reference, nowMs: number): Response {
  const { linked, repeated } = linkRepeatedAssumptions(given.document);
  const { info, tags, components, openapi } = linked;
  const title = String(info.title);
  const operations = operationsOf(linked);
  const shared = sharedErrors(operations);
  const reference = { ...given, document: linked, shared };
  const homes = schemaHomes(operations);
  const sent = schemasIn(
    linked,
    operations.map(({ path, requestBody }) => path.startsWith("/") && requestBody),
  );
  const schemas = Object.entries(components.schemas).filter(([name]) => !homes.has(name));
  const { cards = [] } = given;
  const contents = [
    ...cards.map(({ id, title: text, tag }) => ({ id, text, tag })),
    ...operations.map(({ operationId: id, summary: text, tags: [tag] }) => ({ id, text, tag })),
    ...schemas.map(([text]) => ({ id: `schema-${text}`, text, tag: "Schemas" })),
    { id: "errors", text: "Errors of many operations", tag: "Errors" },
  ];
  const [lead = "", ...conventions] = String(info.description).split("\n\n");
  const notesAt = conventions.findIndex((text) => text.includes(ASSUMPTION_KEY));
  const notes = notesAt === -1 ? [] : conventions.splice(notesAt);
  const first = operations.find(({ operationId }) => operationId === given.firstCall)!;
  const body = html`<a class="unseen" href="#reference">Skip to the reference</a>
<div class="frame"><nav aria-label="Contents"><details open><summary>Contents</summary>
<search><label class="search">Filter <input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Press /" aria-keyshortcuts="/"></label>
<button type="button" id="unfold">Expand all</button></search>
${[...tags, { name: "Schemas" }, { name: "Errors" }, { name: "Assumptions" }].map(({ name }) => {
  const links = contents.filter(({ tag }) => tag === name);
  const list = html`<ul>${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`;
  return html`<div><p class="tag"><a href="#tag-${name}">${name}</a></p>${name === "Schemas" ? html`<details><summary>${links.length} schemas</summary>${list}</details>` : list}</div>`;
})}</details></nav>
<main id="reference" tabindex="-1">
<div class="found" hidden><p id="found" role="status"></p><button type="button" id="rest"></button><a id="elsewhere" href="${given.other.href}">Search the ${given.other.title}</a></div>
<div class="intro"><h1>${title}</h1>${renderMarkdown(lead)}
<div class="sides"><dl class="keys">${copyableFact("Base URL", reference.baseUrl)}${reference.apiKey !== undefined && copyableFact("Test API key", reference.apiKey)}${reference.webhookSecret !== undefined && copyableFact("Webhook secret", reference.webhookSecret)}
<div><dt>Document</dt><dd><a href="openapi.json">OpenAPI ${openapi}</a>, version ${String(info.version)}</dd></div>
<div><dt>See also</dt><dd><a href="${given.other.href}">${given.other.title}</a>, <a href="${given.dashboard}">Dashboard</a></dd></div></dl>
<div class="examples">${example(first.operationId, "First call", callExample(reference, first), undefined, "h2")}${given.firstSteps ?? html`<p><a href="#${first.operationId}">${first.summary}</a>: fields, response and errors</p>`}</div>
<div class="intro">${renderMarkdown(conventions.join("\n\n"))}</div></div></div>
${tags.map(({ name, description }) => {
  const tagged = operations.filter((operation) => operation.tags[0] === name);
  return html`<div class="group"><h2 id="tag-${name}">${name}</h2>${renderMarkdown(description)}
${cards.filter(({ tag }) => tag === name).map(({ id, title, body }) => section(id, title, body))}
${tagged.map((operation) => operationSection(reference, operation, homes))}</div>`;
})}
<div class="group"><h2 id="tag-Schemas">Schemas</h2>${schemas.map(([name, schema]) => section(`schema-${name}`, name, schemaMarkup(schema, { isSent: sent.has(name) })))}</div>
<div class="group"><h2 id="tag-Errors">Errors</h2>${section(
    "errors",
    "Errors of many operations",
    html`<dl class="fields">${shared.map(
      ({ id, status, error }) =>
        html`<div id="${id}"><dt><code>${status}</code> <code>${codeOf(error)}</code></dt><dd>${errorPart(error)}</dd></div>`,
    )}</dl>`,
  )}</div>
<div class="group"><h2 id="tag-Assumptions">Assumptions</h2><p><span class="mark">assumed</span> marks what the sandbox decided: with its reason; as a link to a reason that holds in several places; or alone, at a field or all fields that the interface does not show.</p>
${renderMarkdown(notes.join("\n\n"))}${assumptionMark(info)}
${repeated.map(({ subjects, text }, index) => html`<p id="assumed-${index}">${inline(`\`${subjects.slice(0, 4).join("`, `")}\`${subjects.length > 4 ? ` and ${subjects.length - 4} more` : ""}: ${text}`)}</p>`)}</div>
</main></div><p class="unseen" role="status" id="said"></p>`;
  // Recorded responses have the default origin, and assumptions call the service's documentation its interface.
  const text = body.text
    .replace(EXAMPLE_URL, () => escapeText(given.baseUrl).text)
    .replaceAll("is the interface&#39;s", "is documented")
    .replace(/\bthe(?= interface\b)/gi, "$& service&#39;s")
    .replaceAll("service&#39;s interface", "service&#39;s documentation");
  return SHELL.respond({ title, body: new Markup(text) }, { nowMs, forms: "'none'" });
}

/** The place of each schema that is a body or response of a call: its last read by id, or else its first use. */
function schemaHomes(operations: readonly DocumentOperation[]): Map<string, string> {
  const isRead = ({ method, path }: DocumentOperation) => method === "GET" && path.endsWith("}");
  const calls = operations.filter(({ path }) => path.startsWith("/"));
  const inOrder = [...calls.filter(isRead).reverse(), ...calls.filter((call) => !isRead(call))];
  const uses = inOrder.flatMap(({ operationId, requestBody, responses }) => [
    [refName(schemaOf(requestBody).$ref ?? ""), `${operationId} Body`] as const,
    [refName(schemaOf(responses[200]).$ref ?? ""), `${operationId} Response`] as const,
  ]);
  return new Map(uses.filter(([name]) => name !== "").reverse());
}

/** Names of the schemas that a part of the document refers to, directly or not. */
function schemasIn({ components }: OpenApiDocument, part: unknown, names = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    if (!names.has(name!))
      schemasIn({ components } as OpenApiDocument, components.schemas[name!], names.add(name!));
  return names;
}

/** Words that the filter finds sections by, beside those of their headings. */
const SEARCH_WORDS: Readonly<Record<string, string>> = {
  outcomes: "failed declined expired refunded stuck",
  receive: "secret signature webhook retry timeout",
  createCheckout: "take a payment",
  createWhitelabel: "take a payment",
  transitionCharge: "failed completed expired cancelled payment",
};

/** A folded section, filtered by its heading and field names. A title of one word, as of an event, is a link target too. */
function section(id: string, title: string, body: Markup, route?: Markup): Markup {
  const titleId = title.includes(" ") ? `${id}-title` : title;
  return html`<section id="${id}" aria-labelledby="${titleId}" data-words="${SEARCH_WORDS[id] ?? ""}"><details><summary><h3 id="${titleId}">${title}</h3>${route}</summary>
${body}</details></section>
`;
}

/** An operation or a webhook. */
function operationSection(
  reference: Reference,
  operation: DocumentOperation,
  homes: ReadonlyMap<string, string>,
) {
  const { document, shared = [] } = reference;
  const { operationId: id, method, path, security, parameters, requestBody, responses } = operation;
  const { 200: success, ...errors } = responses;
  const isCall = path.startsWith("/");
  const contentPart = (title: string, contents: BodyDescription) => {
    const schema = schemaOf(contents);
    const name = refName(schema.$ref ?? "");
    const whole = document.components.schemas[name] as DocumentSchema;
    const { data } = isCall ? {} : whole.properties!;
    if (homes.get(name) !== `${id} ${title}`)
      return html`<h4>${title}: ${typeMarkup(schema)}${data && html` with data: ${typeMarkup(data)}`}</h4>`;
    return html`<div id="schema-${name}"><h4>${title}: ${name}</h4>${schemaMarkup(whole, { isSent: isCall && title === "Body" })}</div>`;
  };
  const route = html`<span class="route">${isCall && html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`} <span class="soft">${id}</span></span>`;
  const body = html`<div class="sides"><div class="about">${renderMarkdown(operation.description)}${assumptionMark(operation)}
${isCall && security && html`<p class="soft">${security.length === 0 ? "No API key needed." : "The API key is optional."}</p>`}</div>
<div class="examples">${
    isCall
      ? html`${example(id, "Call", callExample(reference, operation), html` id="${id}-curl"`)}
${success && example(id, "Response", exampleOf(success) ?? reference.sampleOf?.(operation))}
${success && "completed" in Object(Object.values(success.content ?? {})[0]?.examples) && html`<p class="soft">As it is once completed: a new charge is <code>PENDING</code>.</p>`}`
      : example(id, "Example", exampleOf(requestBody))
  }</div>
<div>${isCall ? parameterList(parameters, true) : html`<p><a href="#receive">Signature and your response</a></p>`}
${requestBody && contentPart("Body", requestBody)}
${success && contentPart("Response", success)}</div></div>
${
  isCall &&
  html`<div class="errors"><h4>Errors</h4><dl class="fields">${Object.entries(errors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, error]) => {
      const full = shared.find(({ text }) => text === JSON.stringify(error));
      const part = full
        ? html`<p><a href="#${full.id}">${codeOf(error)}</a> ${sentenceOf(error)}</p>`
        : errorPart(error);
      return html`<div><dt>${status}</dt><dd>${part}</dd></div>`;
    })}</dl></div>`
}`;
  return section(id, operation.summary, body, route);
}

function copyableFact(label: string, value: string): Markup {
  return html`<div><dt>${label}</dt><dd><code>${value}</code>${copyButton(label)}</dd></div>`;
}

function example(operationId: string, title: string, value: unknown, id?: Markup, level = "h4"): Markup {
  const text = typeof value === "string" ? value : formatJson(value);
  const heading = new Markup(`<${level}>${title}</${level}>`);
  return html`<div class="snippet">${heading}${copyButton(`${operationId}: ${title}`)}<pre${id} tabindex="0">${escapeText(text)}</pre></div>`;
}

interface SharedError {
  /** The error's code, numbered after its first use. */
  readonly id: string;
  readonly status: string;
  readonly error: BodyDescription;
  readonly text: string;
}

/** Errors shown in full once; operations show their code and sentence. */
function sharedErrors(operations: readonly DocumentOperation[]): SharedError[] {
  const uses = operations.flatMap(({ responses: { 200: _, ...errors } }) =>
    Object.entries(errors).map(([status, error]) => ({ status, error, text: JSON.stringify(error) })),
  );
  return uses
    .filter(
      ({ text, error }, index) =>
        uses.findIndex((use) => use.text === text) < index &&
        uses.findLastIndex((use) => use.text === text) === index &&
        examplesOf(error).length > 0,
    )
    .sort((a, b) => (a.status < b.status ? -1 : 1))
    .map((use, index, all) => {
      const code = codeOf(use.error);
      const before = all.slice(0, index).filter(({ error }) => codeOf(error) === code).length;
      return { ...use, id: before === 0 ? code : `${code}-${before + 1}` };
    });
}

function codeOf(error: BodyDescription): string {
  return (exampleOf(error) as { error: { code: string } }).error.code;
}

function sentenceOf({ description = "" }: BodyDescription) {
  return inline(`${description.replace(/\.$/, "")}.`);
}

/** An error with its examples. */
function errorPart({ content, ...texts }: BodyDescription): Markup {
  return html`<p>${sentenceOf(texts)}</p>${assumptionMark(texts)}${examplesOf({ content }).map(
    (value) => html`<pre>${escapeText(JSON.stringify(value, null, 1).replace(/\n */g, " "))}</pre>`,
  )}`;
}

/** `GET /docs`. */
export async function serveDocs(options: DocumentOptions, c: Context): Promise<Response> {
  const control = await options.documentOf("control");
  const other = { href: "_sandbox/docs", title: "Control API reference" };
  return respondWithDocument("service", options, c, ({ namespace, baseUrl, document }) => {
    // Shows only the default key, and only if the fixtures have it; a user's own key stays private.
    const apiKey = namespace.keys.find(DEFAULT_API_KEY) === undefined ? "sk_test_…" : DEFAULT_API_KEY;
    const hasDefaultSecret = namespace.info.webhookSecret === DEFAULT_WEBHOOK_SECRET;
    const [catalogue, payments, ...tags] = document.tags;
    const called = operationsOf(document);
    const headers = parameterList(called.find(({ path }) => !path.startsWith("/"))?.parameters, false);
    const { webhookTimeoutMs } = options.namespaces.options.base;
    const snippetsIn = (id: string, level?: string) => (title: string, text: string) =>
      example(id, title, text, undefined, level);
    return referencePage(
      {
        document: { ...document, tags: [payments!, catalogue!, ...tags] },
        operations: [...called, ...operationsOf(control)],
        baseUrl,
        apiKey,
        webhookSecret: hasDefaultSecret ? DEFAULT_WEBHOOK_SECRET : "whsec_…",
        other,
        dashboard: "_sandbox/dashboard",
        firstCall: "createCheckout",
        firstSteps: html`${progressPart(namespace, baseUrl, snippetsIn("First call", "h2"))}${FIRST_STEPS}`,
        cards: [
          outcomeCard(namespace, progressPart(namespace, baseUrl, snippetsIn("outcomes"))),
          receiverCard(namespace, webhookTimeoutMs, headers, snippetsIn("receive")),
        ],
      },
      namespace.nowMs(),
    );
  });
}

/** `GET /_sandbox/docs`. */
export async function serveControlDocs(options: DocumentOptions, c: Context): Promise<Response> {
  const service = await options.documentOf("service");
  const other = { href: "../docs", title: "Payments API reference" };
  return respondWithDocument("control", options, c, ({ namespace, baseUrl, document }) => {
    const [operations, sampleOf] = [operationsOf(document), createSampler(document, service)];
    return referencePage(
      {
        document,
        operations,
        baseUrl,
        apiKey: undefined,
        other,
        dashboard: "dashboard",
        firstCall: "getSandbox",
        sampleOf,
      },
      namespace.nowMs(),
    );
  });
}
