import { html, type Markup } from "../html.js";

interface FieldChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The fields of two JSON values that differ; those that `isLast` names come last. */
export function fieldChanges(from: unknown, to: unknown, isLast: RegExp): FieldChange[] {
  const [before, after] = [flatten(from), flatten(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .sort((a, b) => Number(isLast.test(a.path)) - Number(isLast.test(b.path)));
}

/** JSON of every value, by the value's path. */
function flatten(value: unknown, path = "", into = new Map<string, string>()): Map<string, string> {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value))
      flatten(inner, path === "" ? name : `${path}.${name}`, into);
  else into.set(path, JSON.stringify(value));
  return into;
}

export function changeList(changes: readonly FieldChange[]): Markup {
  return html`<dl class="diff">${changes.map(
    ({ path, before, after }) =>
      html`<div><dt><code>${path}</code></dt>
<dd>${
        before !== undefined && html`<del>${before}</del>`
      } ${after !== undefined && html`<ins>${after}</ins>`}</dd></div>`,
  )}</dl>`;
}
