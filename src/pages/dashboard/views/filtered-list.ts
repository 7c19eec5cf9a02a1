/** A filtered list: filter form, one page of rows, and the same query as curl. */
import type { ControlOperationId } from "../../../core/client/operations.js";
import { LIST_COLUMNS, type ListFilter, type ListName } from "../../../core/reports/list-columns.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { currentUrl, type PageContext, pageOffset, ROWS_PER_PAGE } from "../page-context.js";
import { controlCurl } from "../shell-commands.js";

export interface ListPage<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Filter values; "" if empty. */
type FilterValues = Readonly<Record<string, string>>;

interface Listing<Item> {
  /** Options of each select field, by field name. */
  readonly choices: Readonly<Record<string, ui.Options>>;
  /** Returns all matches, or the page at `offset` with the total. */
  readonly find: (values: FilterValues, offset: number) => ListPage<Item> | readonly Item[];
  readonly row: (item: Item) => Markup;
  readonly none: (isFiltered: boolean, values: FilterValues) => Content;
  readonly title?: (total: number) => string;
  /** Shows each filter as a chip with a link that removes it. */
  readonly hasChips?: boolean;
}

type Field = NonNullable<ListFilter["field"]>;

/** Operation that returns the list. */
const OPERATIONS = {
  charges: "listCharges",
  deliveries: "listDeliveries",
  requests: "listRequests",
} as const satisfies Partial<Record<ListName, ControlOperationId>>;

export function filteredList<Item>(
  context: PageContext,
  name: keyof typeof OPERATIONS,
  { choices, find, row, none, title, hasChips = false }: Listing<Item>,
): Markup {
  const { filters = [], headings } = LIST_COLUMNS[name];
  const fields = filters.flatMap(({ field }) => field ?? []);
  const values: FilterValues = Object.fromEntries(
    fields.map((field) => [field.name, context.query.get(field.name)?.trim() ?? ""]),
  );
  const offset = pageOffset(context);
  const result = find(values, offset);
  const { total, items } =
    "total" in result
      ? result
      : { total: result.length, items: result.slice(offset, offset + ROWS_PER_PAGE) };
  const activeFields = fields.filter((field) => values[field.name] !== "");
  const isFiltered = activeFields.length > 0;
  const query = filters.flatMap(({ name, field, query }): [string, string][] => {
    const value = field === undefined ? "" : values[field.name]!;
    return value === "" ? [] : Object.entries(query?.(value) ?? { [name]: value });
  });
  const chip = (field: Field) => {
    const value = values[field.name]!;
    const named = choices[field.name]?.find((option) => typeof option !== "string" && option[0] === value);
    const label = named?.[1] ?? value;
    return html`<li><a href="${currentUrl(context, { [field.name]: undefined, offset: undefined })}">${field.name === "q" ? field.label.toLowerCase() : field.name}: ${label} <span aria-hidden="true">✕</span><span class="unseen">, remove this filter</span></a></li>`;
  };
  return html`${ui.filterForm(
    context,
    fields.map((field) =>
      choices[field.name] === undefined
        ? ui.input({ ...field, value: values[field.name]!, type: "search" })
        : ui.selectField(
            field.name,
            field.label,
            [["", "any"], ...choices[field.name]!],
            values[field.name]!,
          ),
    ),
  )}
${ui.section({
  id: name,
  title: title?.(total) ?? (isFiltered ? `${total} found` : ui.formatCount(total, name.replace(/s$/, ""))),
  tools: ui.copyButton(
    "Copy as curl",
    controlCurl(context, OPERATIONS[name], Object.fromEntries(query)),
    "c",
  ),
  body: html`${hasChips && isFiltered && html`<ul class="chips" aria-label="Filters">${activeFields.map(chip)}</ul>`}${ui.rowList(
    `${name[0]!.toUpperCase()}${name.slice(1)}`,
    items.map(row),
    none(isFiltered, values),
    headings,
  )}${ui.pager(context, total)}`,
})}`;
}
