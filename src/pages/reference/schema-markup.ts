import { ASSUMED_FIELD_REASON } from "../../core/schema/descriptions.js";
import type { OpenApiDocument } from "../../server/openapi/document.js";
import { html, type Markup } from "../html.js";
import { inline, renderMarkdown } from "../markdown.js";

type ByName<Value> = Readonly<Record<string, Value>>;
type Texts = Partial<Record<"$ref" | "description" | "format" | "pattern" | "x-sandbox-assumption", string>>;
type Limits = Partial<Record<`${"min" | "max"}${"imum" | "Length" | "Items"}` | "maxProperties", number>>;

/** The JSON Schema keywords that the page shows. */
export interface DocumentSchema extends Texts, Limits {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly contentSchema?: DocumentSchema;
  readonly items?: DocumentSchema;
  readonly additionalProperties?: DocumentSchema;
  readonly anyOf?: readonly DocumentSchema[];
  readonly oneOf?: readonly DocumentSchema[];
  readonly allOf?: readonly DocumentSchema[];
  readonly properties?: ByName<DocumentSchema>;
  readonly required?: readonly string[];
}

interface Parameter extends Omit<DocumentSchema, "required"> {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: DocumentSchema;
  readonly example?: unknown;
}

/** A response or request body. */
export interface BodyDescription extends Texts {
  readonly headers?: ByName<Texts>;
  readonly content?: ByName<{
    readonly schema: DocumentSchema;
    readonly example?: unknown;
    readonly examples?: ByName<{ readonly value: unknown }>;
  }>;
}

export interface DocumentOperation extends Texts {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: BodyDescription;
  readonly responses: ByName<BodyDescription>;
}

/** All operations in document order, then all webhooks, whose path is their name; responses are resolved. */
export function operationsOf({ paths, webhooks, components }: OpenApiDocument): DocumentOperation[] {
  const resolve = (body: BodyDescription): BodyDescription =>
    body.$ref === undefined ? body : (components.responses[refName(body.$ref)] as BodyDescription);
  return Object.entries({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    Object.entries(item as ByName<DocumentOperation>).map(([method, operation]) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, body]) => [status, resolve(body)]),
      ),
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** Component name of a `$ref`. */
export function refName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Schema of a body. For an event, only the component schema, which is the first part of `allOf`. */
export function schemaOf({ content = {} }: BodyDescription = {}): DocumentSchema {
  const [{ schema } = { schema: {} }] = Object.values(content) as { schema: DocumentSchema }[];
  return schema.allOf?.[0] ?? schema;
}

export function examplesOf({ content }: BodyDescription = {}): unknown[] {
  const [{ example, examples = {} } = {}] = Object.values(content ?? {});
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
}

export function exampleOf(body?: BodyDescription): unknown {
  return examplesOf(body)[0];
}

/** JSON with short objects and lists on one line. */
export function formatJson(value: unknown, replacer?: (name: string, value: unknown) => unknown): string {
  return JSON.stringify(value, replacer, 2).replace(/[[{]\n\s+[^[\]{}]{1,72}\n\s*[\]}]/g, (part) =>
    part.replace(/\n\s*/g, " "),
  );
}

/** Shorter reasons are repeated in each place. */
const LINKED_MIN = 20;

/**
 * Replaces each reason that the document gives in several places, also where more follows, with a link to `repeated`,
 * which begins with what it is about.
 */
export function linkRepeatedAssumptions(document: OpenApiDocument) {
  const text = JSON.stringify(document);
  const subjects = new Map<string, string[]>();
  const add = ({ "x-sandbox-assumption": reason }: Texts, subject: string) =>
    reason !== undefined && subjects.set(reason, [...(subjects.get(reason) ?? []), subject]);
  JSON.parse(text, (key, value) => {
    const { name, operationId, responses } = Object(value);
    // The subject of a response includes its operation.
    if (!/^\d\w\w$/.test(key)) add(Object(value), name ?? operationId ?? key);
    if (operationId) for (const status in responses) add(responses[status], `${operationId} ${status}`);
    return value;
  });
  const repeated = [...subjects].flatMap(([reason, { length }]) =>
    length > 1 && reason.length > LINKED_MIN && reason !== ASSUMED_FIELD_REASON ? [reason] : [],
  );
  const linkOf = (reason: string): string => {
    const exact = repeated.indexOf(reason);
    const index = exact === -1 ? repeated.findIndex((one) => reason.startsWith(`${one} `)) : exact;
    return index === -1 ? reason : `#assumed-${index}${reason.slice(repeated[index]!.length)}`;
  };
  const linked = JSON.parse(text, (name, value: string) =>
    name === "x-sandbox-assumption" ? linkOf(value) : value,
  ) as OpenApiDocument;
  const shortened = repeated.map((reason) => ({
    subjects: [...new Set(subjects.get(reason))],
    text: repeated.reduce(
      (rest, one) => (rest.startsWith(`${one} `) ? rest.slice(one.length + 1) : rest),
      reason,
    ),
  }));
  return { linked, repeated: shortened };
}

/** An assumption's link to a reason given in several places, and the reason given here. */
function assumptionOf({ "x-sandbox-assumption": assumption }: Texts) {
  if (assumption === undefined) return undefined;
  const [, link, reason = ""] = /^(#\S+)? ?(.*)$/s.exec(assumption)!;
  return { link, reason: reason === ASSUMED_FIELD_REASON ? "" : reason };
}

/** An assumption: its mark, and its reason if that is given here, folded or as one paragraph. */
export function assumptionMark(texts: Texts, { isFolded = false } = {}): Markup | undefined {
  const { link, reason } = assumptionOf(texts) ?? {};
  if (reason === undefined) return undefined;
  const mark = link
    ? html`<a class="mark" href="${link}">assumed</a>`
    : html`<span class="mark">assumed</span>`;
  if (reason === "" || !isFolded) return html`<p>${mark}${reason && html`: ${inline(reason)}`}</p>`;
  return html`<details class="mark"><summary>Assumed</summary><p>${
    link && html`${mark}: `
  }${inline(reason)}</p></details>`;
}

/** The page's introduction describes the header Sandbox-Namespace, which most operations take. */
export function parameterList(parameters: readonly Parameter[] = [], isSent: boolean): Markup | false {
  const fields = parameters
    .filter(({ name }) => name !== "Sandbox-Namespace")
    .map(({ name, in: location, required, schema, ...rest }) => {
      return { name, schema: { ...schema, ...rest }, isRequired: isSent && required === true, location };
    });
  return fields.length > 0 && html`<h4>${isSent ? "Parameters" : "Headers"}</h4>${fieldList(fields)}`;
}

/** A schema's description, variants and fields. Marks required fields if clients send it. */
export function schemaMarkup(schema: DocumentSchema, { isSent }: { readonly isSent: boolean }): Markup {
  const { properties, oneOf, anyOf } = schema;
  const about = html`${description(schema)}${assumptionMark(schema, { isFolded: true })}`;
  const choices = oneOf ?? anyOf ?? [];
  return properties === undefined
    ? html`${about}${choices.length > 0 && choiceList(choices)}`
    : html`${about}${fieldList(fieldsOf(schema, isSent))}`;
}

export function choiceList(choices: readonly DocumentSchema[]): Markup {
  return html`<ul>${choices.map((choice) => html`<li>${typeMarkup(choice)}</li>`)}</ul>`;
}

/** Fields of an object, each followed by those of an object without a name in it. */
function fieldsOf({ properties = {}, required }: DocumentSchema, isSent: boolean, isInner = false): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isRequired = isSent && required?.includes(name) === true;
    return [{ name, schema, isRequired, isInner }, ...fieldsOf(schema.items ?? schema, isSent, true)];
  });
}

interface Field extends Pick<Parameter, "name" | "schema"> {
  readonly isRequired: boolean;
  readonly isInner?: boolean;
  readonly location?: string;
}

/** Fields, and below them those that are assumed, with their reasons. */
function fieldList(fields: readonly Field[]): Markup {
  const rows = fields.map(({ name, schema, isRequired, isInner, location }) => {
    const isScenario = name === "Sandbox-Scenario";
    const about = isScenario ? html`<a href="#outcomes">Choose the outcome</a>` : description(schema);
    const inner = (schema.items ?? schema).properties && (schema.items ? "list of objects" : "object");
    const type = inner ?? typeMarkup(schema);
    const required = isRequired && html` <span class="required">required</span>`;
    return html`<div${isInner && html` class="inner"`}><dt><code>${name}</code> <span
class="type">${type} ${location}</span>${required}</dt><dd>${about}</dd></div>`;
  });
  const assumed = fields.flatMap(({ name, schema }) => {
    const { link, reason } = assumptionOf(schema) ?? {};
    return reason === undefined
      ? []
      : [{ shown: link ? html`<a href="${link}">${code(name)}</a>` : code(name), reason }];
  });
  const alone = assumed.filter(({ reason }) => reason === "").map(({ shown }) => shown);
  const explained = assumed.filter(({ reason }) => reason !== "");
  const items = html`${alone.length > 0 && html`<li>${join(alone, ", ")}</li>`}${explained.map(
    ({ shown, reason }) => html`<li>${shown}: ${inline(reason)}</li>`,
  )}`;
  const count = assumed.length === fields.length ? "all" : `${assumed.length} of ${fields.length}`;
  const fold = html`<details class="mark"><summary>Assumed: ${count}</summary><ul>${items}</ul></details>`;
  return html`<dl class="fields">${rows}</dl>${assumed.length > 0 && fold}`;
}

function description(schema: DocumentSchema): Markup {
  const limits = limitsOf(schema);
  return html`${schema.description && renderMarkdown(schema.description)}${
    limits.length > 0 && html`<p class="soft">${limits}</p>`
  }`;
}

/** A type as text, linked if it has a name. */
export function typeMarkup(schema: DocumentSchema): Markup {
  const { $ref, anyOf, oneOf, items, additionalProperties, properties, format, type = "anything" } = schema;
  if ($ref !== undefined) return html`<a href="#schema-${refName($ref)}">${refName($ref)}</a>`;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined)
    return join(
      choices.flatMap((choice) => choice.enum?.map(code) ?? typeMarkup(choice)),
      " or ",
    );
  if (schema.enum?.length === 1) return code(schema.enum[0]);
  if (items !== undefined) return html`list of ${typeMarkup(items)}`;
  if (schema.contentSchema !== undefined) return html`stream of ${typeMarkup(schema.contentSchema)}`;
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(([name, part]) => html`${name}: ${typeMarkup(part)}`);
    return html`{ ${join(parts, "; ")} }`;
  }
  if (additionalProperties) return html`map to ${typeMarkup(additionalProperties)}`;
  return html`${typeof type === "string" ? type : type.join(" or ")}${format && `, ${format}`}`;
}

export function join(parts: readonly Markup[], separator: string): Markup {
  return html`${parts.map((part, index) => html`${index > 0 && separator}${part}`)}`;
}

/** A value as code; JSON unless it is a text. */
export function code(value: unknown): Markup {
  return html`<code>${typeof value === "string" ? value : JSON.stringify(value)}</code>`;
}

/** Constraints of a value beyond its type, and an example. */
function limitsOf(schema: DocumentSchema): Markup[] {
  const { enum: values, pattern, format, examples = [] } = schema;
  const limits = [
    values && values.length > 1 && html`One of ${join(values.map(code), ", ")}`,
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " entries"),
    range(undefined, schema.maxProperties, " keys"),
    schema.default !== undefined && html`Default ${code(schema.default)}`,
    // A format or an example already describes the pattern in readable form.
    pattern !== undefined && format === undefined && examples.length === 0 && html`Pattern ${code(pattern)}`,
    examples[0] !== undefined && html`For example ${code(examples[0])}`,
  ];
  return limits.flatMap((limit) => (limit ? [html`${limit}. `] : []));
}

function range(min?: number, max?: number, unit = ""): string | false {
  if (min === undefined) return max !== undefined && `At most ${max}${unit}`;
  return max === undefined ? `At least ${min}${unit}` : `${min} to ${max}${unit}`;
}
