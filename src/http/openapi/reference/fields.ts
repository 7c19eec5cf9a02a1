import { UNSHOWN } from "../../../schema/words.js";
import { html, type Markup } from "../../pages/html.js";
import { nameOf, type Parameter, type Schema } from "./model.js";
import { inline, prose } from "./text.js";

/** A mark, and why, unless it is only that the interface does not show the thing at all. */
export function assumption(text: string | undefined): Markup | undefined {
  if (text === undefined) return undefined;
  const why = text === UNSHOWN ? undefined : html` ${inline(text)}`;
  return html`<p class="why"><span class="mark">assumed</span>${why}</p>`;
}

/** The fields of an object, one below the other. */
export function fieldList({ properties = {}, required = [] }: Schema): Markup {
  return html`<dl class="fields">${Object.entries(properties).map(([name, schema]) =>
    field(name, schema, required.includes(name), undefined),
  )}</dl>`;
}

export function parameterList(parameters: readonly Parameter[]): Markup {
  return html`<dl class="fields">${parameters.map(
    ({ name, in: place, required, description, schema, ...rest }) =>
      field(name, { ...schema, ...rest, description }, required === true, place),
  )}</dl>`;
}

function field(name: string, schema: Schema, required: boolean, place: string | undefined): Markup {
  const limits = limitsOf(schema);
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    place !== undefined && html` <span class="place">${place}</span>`
  }${required && html` <span class="required">required</span>`}</dt><dd>${
    schema.description !== undefined && prose(schema.description)
  }${limits.length > 0 && html`<p class="limits">${limits}</p>`}${assumption(schema["x-sandbox-assumption"])}</dd></div>`;
}

/** A type in words, with a link where it has a name of its own. */
export function typeOf(schema: Schema): Markup {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(choices.map(typeOf));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`;
  if (schema.type === "object" && schema.additionalProperties !== undefined)
    return html`map to ${typeOf(schema.additionalProperties)}`;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["anything"]);
  return joined(types.map((type) => html`${type}`));
}

function joined(types: readonly Markup[]): Markup {
  return html`${types.map((type, index) => (index === 0 ? type : html` or ${type}`))}`;
}

/** What a value must keep to, beyond its type, and an example. */
function limitsOf(schema: Schema): Markup[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = schema;
  const parts: Markup[] = [];
  if (schema.enum !== undefined)
    parts.push(
      html`One of ${schema.enum.map((value, index) => html`${index > 0 && ", "}<code>${String(value)}</code>`)}.`,
    );
  const range = between(minimum, maximum, "");
  if (range !== undefined) parts.push(html`${range}.`);
  const length = between(minLength, maxLength, " characters") ?? between(minItems, maxItems, " entries");
  if (length !== undefined) parts.push(html`${length}.`);
  if (schema.maxProperties !== undefined) parts.push(html`At most ${schema.maxProperties} keys.`);
  if (schema.default !== undefined) parts.push(html`Default <code>${String(schema.default)}</code>.`);
  // A format says the same in a word.
  if (schema.pattern !== undefined && schema.format === undefined)
    parts.push(html`Pattern <code>${schema.pattern}</code>.`);
  const [example] = schema.examples ?? [];
  if (example !== undefined)
    parts.push(
      html`For example <code>${typeof example === "string" ? example : JSON.stringify(example)}</code>.`,
    );
  return parts.map((part, index) => (index === 0 ? part : html` ${part}`));
}

function between(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `At least ${least}${unit}`;
  return most === undefined ? undefined : `At most ${most}${unit}`;
}
