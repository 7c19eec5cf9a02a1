/** A filtered list: filter form, one page of rows, and the same query as curl. */
import { type Filter, LISTS, type ListName } from "../../../core/client/lists.js";
import { type Content, html, type Markup } from "../../html.js";
import { controlCurl } from "../curl.js";
import { choice, copy, filters as filterForm, input, many, pager, part, rows } from "../parts.js";
import { here, offsetOf, PAGE_ROWS, type Scene } from "../scene.js";

export interface Hits<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Filter values; "" if empty. */
type Asked = Readonly<Record<string, string>>;

interface Listing<Item> {
  /** Options of select fields, each a value or a value and its label. */
  readonly choices: Readonly<Record<string, readonly (string | readonly [value: string, label: string])[]>>;
  /** Returns all matches, or the page at `offset` with the total. */
  readonly find: (asked: Asked, offset: number) => Hits<Item> | readonly Item[];
  readonly row: (item: Item) => Markup;
  readonly none: (isFiltered: boolean, asked: Asked) => Content;
  readonly title?: (total: number) => string;
  /** Shows each filter as a chip with a link that removes it. */
  readonly hasChips?: boolean;
}

type Field = NonNullable<Filter["field"]>;

export function listing<Item>(
  scene: Scene,
  name: ListName,
  { choices, find, row, none, title, hasChips = false }: Listing<Item>,
): Markup {
  const { filters = [], headings } = LISTS[name];
  const fields = filters.flatMap(({ field }) => field ?? []);
  const asked: Asked = Object.fromEntries(
    fields.map((field) => [field.name, scene.query.get(field.name)?.trim() ?? ""]),
  );
  const offset = offsetOf(scene);
  const found = find(asked, offset);
  const { total, items } =
    "total" in found ? found : { total: found.length, items: found.slice(offset, offset + PAGE_ROWS) };
  const used = fields.filter((field) => asked[field.name] !== "");
  const isFiltered = used.length > 0;
  const query = filters.flatMap(({ name, field, query }): [string, string][] => {
    const value = field === undefined ? "" : asked[field.name]!;
    return value === "" ? [] : Object.entries(query?.(value) ?? { [name]: value });
  });
  const options = (field: Field): [string, string][] =>
    (choices[field.name] ?? []).map((one) => (typeof one === "string" ? [one, one] : [...one]));
  const chip = (field: Field) => {
    const value = asked[field.name]!;
    const label = options(field).find(([one]) => one === value)?.[1] ?? value;
    return html`<li><a href="${here(scene, { [field.name]: undefined, offset: undefined })}">${field.name === "q" ? field.label.toLowerCase() : field.name}: ${label} <span aria-hidden="true">✕</span><span class="unseen">, remove this filter</span></a></li>`;
  };
  return html`${filterForm(
    scene,
    fields.map((field) =>
      choices[field.name] === undefined
        ? input({ ...field, value: asked[field.name]!, type: "search" })
        : choice(field.name, field.label, [["", "any"], ...options(field)], asked[field.name]!),
    ),
  )}
${part({
  id: name,
  title: title?.(total) ?? (isFiltered ? `${total} found` : many(total, name.replace(/s$/, ""))),
  tools: copy(
    "Copy as curl",
    controlCurl(scene, `GET /_sandbox/${name}${query.length === 0 ? "" : `?${new URLSearchParams(query)}`}`),
    "c",
  ),
  body: html`${hasChips && isFiltered && html`<ul class="chips" aria-label="Filters">${used.map(chip)}</ul>`}${rows(
    `${name[0]!.toUpperCase()}${name.slice(1)}`,
    items.map(row),
    none(isFiltered, asked),
    headings,
  )}${pager(scene, total)}`,
})}`;
}
