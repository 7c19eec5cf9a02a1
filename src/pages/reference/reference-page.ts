/**
 * The API references `/docs` and `/_sandbox/docs`, mounted by page-routes.ts: an OpenAPI document rendered as one page.
 * Nothing here depends on the state of a namespace.
 */
import type { Context } from "hono";
import { DEFAULT_API_KEY, DEFAULT_PORT, DEFAULT_WEBHOOK_SECRET } from "../../core/schema/option-schemas.js";
import type { PageHost, Result } from "../../server/http/page-host.js";
import { ASSUMPTION_KEY, type OpenApiDocument } from "../../server/openapi/document.js";
import { pageAssets } from "../assets.js";
import { escapeText, html, Markup } from "../html.js";
import { inline, renderMarkdown } from "../markdown.js";
import { copyButton, PageShell } from "../page-shell.js";
import { type CallExample, callExample, type ExampleContext } from "./call-example.js";
import { codeOf, errorPart, type SharedError, sentenceOf, sharedErrors } from "./errors.js";
import {
  assumptionMark,
  type BodyDescription,
  choiceList,
  code,
  type DocumentOperation,
  type DocumentSchema,
  exampleOf,
  examplesOf,
  formatJson,
  join,
  linkRepeatedAssumptions,
  operationsOf,
  parameterList,
  refName,
  schemaMarkup,
  schemaOf,
  typeMarkup,
} from "./schema-markup.js";
import {
  CHARGE_ENDS,
  FIRST_STEPS,
  outcomeCard,
  progressPart,
  type ReferenceCard,
  receiverCard,
} from "./service-cards.js";

/** The default address, which examples in the document have; not the beginning of a longer port. */
const EXAMPLE_URL = new RegExp(`http://127\\.0\\.0\\.1:${DEFAULT_PORT}(?!\\d)`, "g");

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
  readonly shared?: readonly SharedError[];
}

const SHELL = new PageShell({ assets: pageAssets("reference"), referrer: "same-origin" });

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
    { id: "errors", text: "Error codes", tag: "Errors" },
  ];
  const [lead = "", ...conventions] = String(info.description).split("\n\n");
  const notesAt = conventions.findIndex((text) => text.includes(ASSUMPTION_KEY));
  const [, ...notes] = notesAt === -1 ? [] : conventions.splice(notesAt);
  const subjectLink = (subject: string) => {
    const [id, ...status] = subject.split(" ");
    const operation = operations.find(({ operationId }) => operationId === id);
    return operation
      ? html`<a href="#${id}">${operation.summary}</a>${status.map((code) => ` ${code}`)}`
      : code(subject);
  };
  const first = operations.find(({ operationId }) => operationId === given.firstCall)!;
  const { setup, call: firstCall } = callExample(reference, first);
  const body = html`<a class="unseen" href="#reference">Skip to the reference</a>
<div class="frame"><nav aria-label="Contents"><details open><summary>Contents</summary>
<search><label class="search">Filter <input id="search" type="search" autocomplete="off" spellcheck="false"
placeholder="Press /" aria-keyshortcuts="/"></label>
<button type="button" id="unfold">Expand all</button></search>
${[...tags, { name: "Schemas" }, { name: "Errors" }, { name: "Assumptions" }].map(({ name }) => {
  const links = contents.filter(({ tag }) => tag === name);
  const list = html`<ul>${links.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`;
  return html`<div><p class="tag"><a
href="#tag-${name}">${name}</a></p>${
    name === "Schemas" ? html`<details><summary>${links.length} schemas</summary>${list}</details>` : list
  }</div>`;
})}</details></nav>
<main id="reference" tabindex="-1">
<div class="found" hidden><p id="found" role="status"></p><button type="button" id="rest"></button><a id="elsewhere"
href="${given.other.href}">Search the ${given.other.title}</a></div>
<div class="intro"><h1>${title}</h1>${renderMarkdown(lead)}
<div class="sides"><dl class="keys">${copyableFact("Base URL", reference.baseUrl)}${
    given.webhookSecret !== undefined &&
    html`${copyableFact("Test API key", given.apiKey)}${copyableFact("Webhook secret", given.webhookSecret)}`
  }
<div><dt>Document</dt><dd><a href="openapi.json">OpenAPI ${openapi}</a>, version ${String(info.version)}</dd></div>
<div><dt>See also</dt><dd><a href="${given.other.href}">${given.other.title}</a>, <a
href="${given.dashboard}">Dashboard</a></dd></div></dl>
<div class="examples">${snippet(first.operationId, "First call", firstCall, { setup, level: "h2" })}${
    given.firstSteps ??
    html`<p><a href="#${first.operationId}">${first.summary}</a>: fields, response and errors</p>`
  }</div>
<div class="intro">${renderMarkdown(conventions.join("\n\n"))}</div></div></div>
${tags.map(({ name, description }) => {
  const tagged = operations.filter((operation) => operation.tags[0] === name);
  return html`<div class="group"><h2 id="tag-${name}">${name}</h2>${renderMarkdown(description)}
${cards.filter(({ tag }) => tag === name).map(({ id, title, body }) => section(id, title, body))}
${tagged.map((operation) => operationSection(reference, operation, homes))}</div>`;
})}
<div class="group"><h2 id="tag-Schemas">Schemas</h2>${schemas.map(([name, schema]) =>
    section(
      `schema-${name}`,
      name,
      html`${schemaMarkup(schema, { isSent: sent.has(name) })}${name === "ChargeStatus" && CHARGE_ENDS}`,
    ),
  )}</div>
<div class="group"><h2 id="tag-Errors">Errors</h2>${section(
    "errors",
    "Error codes",
    html`<dl class="fields">${shared.map(({ status, code, errors }) => {
      const told = new Set<string>();
      const parts = [...errors.values()].map((error) => errorPart(error, { told }));
      return html`<div id="${code}"><dt><code>${status}</code> <code>${code}</code></dt><dd>${parts}</dd></div>`;
    })}</dl>`,
  )}</div>
<div class="group"><h2 id="tag-Assumptions">Assumptions</h2><p><span
class="mark">assumed</span> marks what the sandbox decided: with its reason; as a link to a reason that holds in
several places; or alone, where the interface does not show a field.</p>
${renderMarkdown(notes.join("\n\n"))}${assumptionMark(info)}
${repeated.map(
  ({ subjects, text }, index) => html`<p
id="assumed-${index}">${join(subjects.slice(0, 4).map(subjectLink), ", ")}${
    subjects.length > 4 && ` and ${subjects.length - 4} more`
  }: ${inline(text)}</p>`,
)}</div>
</main></div><p class="unseen" role="status" id="said"></p>`;
  // Recorded responses have the default origin, and assumptions call the service's documentation its interface.
  const text = body.text
    .replace(EXAMPLE_URL, () => escapeText(given.baseUrl).text)
    .replaceAll("is the interface&#39;s", "is documented")
    .replace(/<code>[a-z\d/_{}.-]{20,}(?=<)/g, (part) => part.replace(/[/_.](?=[a-z{])/g, "$&<wbr>"))
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

/** A folded section, filtered by its heading and field names. A title of one word is a link target too. */
function section(id: string, title: string, body: Markup, route?: Markup): Markup {
  const words = SEARCH_WORDS[id];
  return html`<section id="${id}"${words && html` data-words="${words}"`}><details><summary><h3${
    !title.includes(" ") && html` id="${title}"`
  }>${title}</h3>${route}</summary>
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
    const streamed = schema.contentSchema?.oneOf;
    if (streamed) return html`<h4>${title}: stream of</h4>${choiceList(streamed)}`;
    const name = refName(schema.$ref ?? "");
    const whole = document.components.schemas[name] as DocumentSchema;
    const { data } = isCall ? {} : whole.properties!;
    if (homes.get(name) !== `${id} ${title}`)
      return html`<h4>${title}: ${typeMarkup(schema)}${data && html` with data: ${typeMarkup(data)}`}</h4>`;
    return html`<div id="schema-${name}"><h4>${title}: ${name}</h4>${schemaMarkup(whole, {
      isSent: isCall && title === "Body",
    })}</div>`;
  };
  const { setup, call } = callExample(reference, operation);
  const route = html`<span class="route">${
    isCall &&
    html`<span
class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`
  } <span class="soft">${id}</span></span>`;
  const body = html`<div class="sides"><div
class="about">${renderMarkdown(operation.description)}${assumptionMark(operation, { isFolded: true })}
${
  isCall &&
  security &&
  html`<p
class="soft">${security.length === 0 ? "No API key needed." : "The API key is optional."}</p>`
}</div>
<div class="examples">${
    isCall
      ? html`${snippet(id, "Call", call, { setup, preId: `${id}-curl` })}
${success?.content?.["text/event-stream"] && html`<p class="soft">Ctrl-C stops the stream.</p>`}
${examplesOf(success).length > 0 && snippet(id, "Response", exampleOf(success))}
${
  success &&
  "completed" in Object(Object.values(success.content ?? {})[0]?.examples) &&
  html`<p
class="soft">As it is once completed: a new charge is <code>PENDING</code>.</p>`
}`
      : snippet(id, "Example", exampleOf(requestBody))
  }</div>
<div>${!isCall && html`<p><a href="#receive">Signature and your response</a></p>`}
${requestBody && contentPart("Body", requestBody)}${isCall && parameterList(parameters, true)}
${success && contentPart("Response", success)}${isCall && headerNames(Object.values(responses))}</div></div>
${
  isCall &&
  html`<div class="errors"><h4>Errors</h4><dl class="fields">${Object.entries(errors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, error]) => {
      const code = codeOf(error);
      const full = shared.find((one) => one.code === code);
      const link = full && html`<a href="#${code}">${code}</a> `;
      const isTold = full?.errors.has(JSON.stringify(error));
      const sentence = !full?.usual.has(JSON.stringify(error)) && sentenceOf(error);
      const part = isTold ? html`<p>${link}${sentence}</p>` : errorPart(error, { link });
      return html`<div><dt>${status}</dt><dd>${part}</dd></div>`;
    })}</dl></div>`
}`;
  return section(id, operation.summary, body, route);
}

/** Headers of every response, which say nothing of one. */
const COMMON_HEADERS = ["Sandbox-Now", "X-Content-Type-Options"];

/** Names of the headers of an operation's responses, errors included. */
function headerNames(responses: readonly BodyDescription[]): Markup | false {
  const names = new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)));
  for (const name of COMMON_HEADERS) names.delete(name);
  return names.size > 0 && html`<p class="soft">Headers: ${[...names].sort().join(", ")}</p>`;
}

function copyableFact(label: string, value: string): Markup {
  return html`<div><dt>${label}</dt><dd><code>${value}</code>${copyButton(label)}</dd></div>`;
}

interface SnippetOptions extends Partial<Pick<CallExample, "setup">> {
  readonly preId?: string;
  readonly level?: "h2" | "h4";
}

/** Code with a button that copies it after its set-up. */
function snippet(
  operationId: string,
  title: string,
  value: unknown,
  { setup = [], preId, level = "h4" }: SnippetOptions = {},
): Markup {
  const text = typeof value === "string" ? value : formatJson(value);
  const names = setup.map(({ name }) => name).join(", ");
  const before = escapeText(setup.map(({ command }) => command).join("\n\n"));
  return html`<div class="snippet">${new Markup(
    `<${level}>${title}</${level}>`,
  )}${copyButton(`${operationId}: ${title}`)}${
    names &&
    html`<details><summary>First (Copy includes it): ${names}</summary><pre tabindex="0">${before}</pre></details>`
  }<pre${preId && html` id="${preId}"`} tabindex="0">${escapeText(text)}</pre></div>`;
}

/** The default key if the fixtures have it; a user's own key stays private. */
function shownKey({ keys }: Result<"getSandbox">): string {
  return keys.some(({ key }) => key === DEFAULT_API_KEY) ? DEFAULT_API_KEY : "sk_test_…";
}

/** `GET /docs`. */
export function serveDocs(host: PageHost, c: Context): Promise<Response> {
  return host.reference("service", c, async ({ baseUrl, document, other: control, nowMs, ask, fill }) => {
    const sandbox = await ask("getSandbox");
    const apiKey = shownKey(sandbox);
    const hasDefaultSecret = sandbox.webhook_secret === DEFAULT_WEBHOOK_SECRET;
    const [catalogue, payments, ...tags] = document.tags;
    const events = tags.pop()!;
    const lead = "Sent to your endpoints: verify each, store its id, respond 2XX.";
    const called = operationsOf(document);
    const headers = parameterList(called.find(({ path }) => !path.startsWith("/"))?.parameters, false);
    const operations = [...called, ...operationsOf(control)];
    const context = { operations, baseUrl, apiKey, controlKey: apiKey };
    const callOf = (id: string, added?: object) =>
      callExample(context, operations.find(({ operationId }) => operationId === id)!, added).call;
    const advance = callOf("advanceClock", { by: "10s", until: undefined });
    const read = callOf("listPayins").replace(/payins(?=")/, "$&?limit=1");
    const isManual = sandbox.clock.mode === "manual";
    const progressIn = (place: string, level: "h2" | "h4") =>
      progressPart(isManual, snippet(place, "Advance the clock", advance, { level }));
    const scenarios = (await ask("listScenarios", { limit: 100 })).items;
    return referencePage(
      {
        document: { ...document, tags: [payments!, catalogue!, ...tags, { ...events, description: lead }] },
        ...context,
        webhookSecret: hasDefaultSecret ? DEFAULT_WEBHOOK_SECRET : "whsec_…",
        other: { href: "_sandbox/docs", title: "Control API reference" },
        dashboard: "_sandbox/dashboard",
        firstCall: "createWhitelabel",
        firstSteps: html`${progressIn(
          "First call",
          "h2",
        )}${snippet("First call", "Read it", read, { level: "h2" })}${FIRST_STEPS}`,
        cards: [
          outcomeCard(scenarios, progressIn("outcomes", "h4")),
          receiverCard(fill, headers, events.description, (title, text) => snippet("receive", title, text)),
        ],
      },
      nowMs,
    );
  });
}

/** `GET /_sandbox/docs`. */
export function serveControlDocs(host: PageHost, c: Context): Promise<Response> {
  return host.reference("control", c, async ({ baseUrl, document, other: service, nowMs, ask }) =>
    referencePage(
      {
        document,
        operations: [...operationsOf(document), ...operationsOf(service)],
        baseUrl,
        apiKey: shownKey(await ask("getSandbox")),
        other: { href: "../docs", title: "Payments API reference" },
        dashboard: "dashboard",
        firstCall: "getSandbox",
      },
      nowMs,
    ),
  );
}
