import { betweenTags, html, type Markup } from "../../pages/html.js";
import type { OpenApiDocument } from "../document.js";
import { curlOf } from "./curl.js";
import { exampleOf, isIdOf } from "./example.js";
import { assumption, fieldList, parameterList, typeOf } from "./fields.js";
import { javascriptOf } from "./javascript.js";
import { type AnswerView, type Listed, type Media, nameOf, type Schema } from "./model.js";
import { pythonOf } from "./python.js";
import { prose } from "./text.js";

/** A call of the service: how to make it, what it takes, what it returns. */
export function operationSection(
  document: OpenApiDocument,
  listed: Listed,
  baseUrl: string,
  apiKey: string | undefined,
): Markup {
  const { method, path, operation } = listed;
  const { operationId, parameters = [], requestBody, responses } = operation;
  const { 200: answer, ...errors } = responses;
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<details><summary><h3 id="${operationId}-title">${operation.summary}</h3>
<span class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="place">${operationId}</span></span></summary>
${prose(operation.description)}${keyNote(operation.security)}${assumption(operation["x-sandbox-assumption"])}
${snippets(listed, baseUrl, apiKey)}
${tryIt(listed, apiKey)}
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterList(parameters)}`}
${
  requestBody !== undefined &&
  html`<h4>Body: ${typeOf(requestBody.content["application/json"].schema)}</h4>
${fieldList(resolve(document, requestBody.content["application/json"].schema))}`
}
${answer !== undefined && answerPart(document, answer)}
<details><summary>Errors: ${Object.keys(errors).join(", ")}</summary><dl class="fields">${Object.entries(
    errors,
  ).map(([status, error]) =>
    errorRow(status, error.$ref === undefined ? error : shared(document, error.$ref)),
  )}</dl></details>
</details></section>`;
}

/** A request this server makes to a registered receiver. */
export function webhookSection(document: OpenApiDocument, { path, operation }: Listed): Markup {
  const { operationId, parameters = [], requestBody } = operation;
  const { schema, example } = requestBody!.content["application/json"];
  const [event = {}] = schema.allOf ?? [];
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<details><summary><h3 id="${operationId}-title">${path}</h3></summary>
${prose(operation.description)}${assumption(operation["x-sandbox-assumption"])}
${parameters.length > 0 && html`<details><summary>Headers</summary>${parameterList(parameters)}</details>`}
<details><summary>Body: ${nameOf(event.$ref ?? "")}</summary>${fieldList(resolve(document, event))}
<pre>${betweenTags(JSON.stringify(example, null, 2))}</pre></details>
</details></section>`;
}

/** A named schema, where the links of its users lead. */
export function schemaSection(name: string, schema: Schema): Markup {
  return html`<section class="schema" id="schema-${name}" aria-labelledby="schema-${name}-title">
<details><summary><h3 id="schema-${name}-title">${name}</h3></summary>
${schema.description !== undefined && prose(schema.description)}${assumption(schema["x-sandbox-assumption"])}
${(schema.oneOf ?? schema.anyOf) !== undefined && html`<p>${typeOf(schema)}</p>`}
${schema.enum !== undefined && html`<p class="limits">${schema.enum.map((value) => html`<code>${String(value)}</code> `)}</p>`}
${schema.properties !== undefined && fieldList(schema)}
</details></section>`;
}

/** The call to take away in three languages, of which the page shows one; a script brings the button to life. */
function snippets(listed: Listed, baseUrl: string, apiKey: string | undefined): Markup {
  const { operationId } = listed.operation;
  const example = exampleOf(listed, baseUrl, apiKey);
  const texts = [
    ["curl", curlOf(listed, baseUrl, apiKey)],
    ["js", javascriptOf(example)],
    ["python", pythonOf(example)],
  ] as const;
  return html`<div class="snippet">${texts.map(
    ([language, text]) =>
      html`<pre id="${operationId}-${language}" class="in-${language}" tabindex="0">${betweenTags(text)}</pre>`,
  )}<button type="button" class="copy" aria-label="Copy the call of ${operationId}" hidden>Copy</button></div>`;
}

/** What a script needs to make a form of: the parameters as `place name`, and the body with names of ids for ids. */
function tryIt(listed: Listed, apiKey: string | undefined): Markup | false {
  const { method, path, operation } = listed;
  const { body, isStream } = exampleOf(listed, "", apiKey);
  if (isStream) return false;
  const parameters = (operation.parameters ?? []).map(({ name, in: place }) => `${place} ${name}`);
  const text = JSON.stringify(body, (name, value) => (isIdOf(name, value) ? `{${name}}` : value), 2);
  return html`<div class="try" data-call="${method} ${path}" data-parameters="${parameters.join(",")}"${
    body !== undefined && html` data-body="${text}"`
  }${apiKey !== undefined && operation.security?.length !== 0 && html` data-key`}><button type="button" class="open" hidden>Try it</button></div>`;
}

function keyNote(security: readonly object[] | undefined): Markup | undefined {
  if (security === undefined) return undefined;
  return html`<p class="place">${security.length === 0 ? "No API key needed." : "The API key is optional."}</p>`;
}

function answerPart(document: OpenApiDocument, answer: AnswerView): Markup {
  const [[type, { schema, examples = {} }]] = Object.entries(answer.content!) as [[string, Media]];
  return html`<details><summary>Response: ${schema.$ref === undefined ? type : nameOf(schema.$ref)}</summary><p>${answer.description}</p>
${fieldList(resolve(document, schema))}${messageList(schema)}
${Object.values(examples).map(({ summary, value }) => html`<p class="place">Example: ${summary}</p><pre>${betweenTags(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</pre>`)}</details>`;
}

/** The messages of a stream, each with what it carries. */
function messageList({ contentSchema }: Schema): Markup | undefined {
  if (contentSchema?.oneOf === undefined) return undefined;
  return html`<dl class="fields">${contentSchema.oneOf.map(
    ({ properties = {} }) =>
      html`<div><dt><code>${String(properties.event?.const)}</code></dt><dd><p>${typeOf(properties.data ?? {})}</p></dd></div>`,
  )}</dl>`;
}

function errorRow(status: string, { description, content, ...rest }: AnswerView): Markup {
  const examples = Object.values(content?.["application/json"].examples ?? {});
  return html`<div><dt><code>${status}</code></dt><dd><p>${description}.</p>${assumption(rest["x-sandbox-assumption"])}${examples.map(
    ({ value }) => html`<pre>${betweenTags(JSON.stringify((value as { error: unknown }).error))}</pre>`,
  )}</dd></div>`;
}

function shared(document: OpenApiDocument, reference: string): AnswerView {
  return document.components.responses[nameOf(reference)] as unknown as AnswerView;
}

/** The schema behind a reference. One made of variants has no fields of its own: its variants are linked. */
function resolve(document: OpenApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] as Schema);
}
