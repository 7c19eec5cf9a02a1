/** A filtered list: filter form, one page of rows, and the same query as curl. */
import type { ControlOperationId } from "../../../core/client/operations.js";
import { LIST_COLUMNS, type ListName } from "../../../core/reports/list-columns.js";
import { type Content, html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { currentUrl, type PageContext, pageOffset, ROWS_PER_PAGE } from "../page-context.js";
import { controlCurl } from "../shell-commands.js";

interface ListPage<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Filter values; "" if empty. */
type FilterValues = Readonly<Record<string, string>>;

export interface Listing<Item> {
  /** Options of each select field, by field name; a list without choices has no filter. */
  readonly choices?: Readonly<Record<string, ui.Options>>;
  /** Returns all matches, or the page at `offset` with the total. */
  readonly find: (values: FilterValues, offset: number) => ListPage<Item> | readonly Item[];
  readonly get: (id: string) => Item | undefined;
  readonly idOf: (item: Item) => string;
  /** Beside an object the row has no buttons. */
  readonly row: (item: Item, isBeside: boolean) => Markup;
  /** Text of the list without a filter. */
  readonly none: () => Content;
  readonly title?: (total: number) => string;
  readonly headings: ui.Headings;
}

/** Operation that returns the list. */
const OPERATIONS = {
  charges: "listCharges",
  deliveries: "listDeliveries",
  requests: "listRequests",
  withdrawals: "listControlWithdrawals",
} as const satisfies Partial<Record<ListName, ControlOperationId>>;
export type FilteredListName = keyof typeof OPERATIONS;

function pageOf<Item>(context: PageContext, name: ListName, find: Listing<Item>["find"]) {
  const fields = LIST_COLUMNS[name].filters?.flatMap(({ field }) => field ?? []) ?? [];
  const values: FilterValues = Object.fromEntries(
    fields.map((field) => [field.name, context.query.get(field.name)?.trim() ?? ""]),
  );
  const offset = pageOffset(context);
  const result = find(values, offset);
  const page =
    "total" in result
      ? result
      : { total: result.length, items: result.slice(offset, offset + ROWS_PER_PAGE) };
  return { fields, values, ...page };
}

function headingOf(name: ListName): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`;
}

/** Id of the only record that the page's filters match. */
export function onlyMatch<Item>(context: PageContext, name: ListName, listing: Listing<Item>) {
  const { total, items } = pageOf(context, name, listing.find);
  return total === 1 ? listing.idOf(items[0]!) : undefined;
}

/** The list of the record on the page, with the same filters; wide screens show it beside the record. */
export function listBeside<Item>(
  context: PageContext,
  name: ListName,
  { find, get, row }: Listing<Item>,
): Markup {
  const { total, items } = pageOf(context, name, find);
  const record = get(context.id!);
  const isListed = record === undefined || items.includes(record);
  return ui.section({
    id: "beside",
    title: `${headingOf(name)}: ${total}`,
    body: html`${ui.rowList(
      "List",
      (isListed ? items : [record, ...items]).map((item) => row(item, true)),
      "None.",
    )}${ui.pager(context, total)}`,
  });
}

/** Rows that a paused list still shows and that are on another page now, so that their status is the present one. */
function heldRows<Item>(
  { heldKeys }: PageContext,
  shown: readonly string[],
  get: Listing<Item>["get"],
  row: Listing<Item>["row"],
): Markup | false {
  const ids = heldKeys.map((key) => key.replace(/^request-/, "")).filter((id) => !shown.includes(id));
  const items = ids.flatMap((id) => get(id) ?? []);
  return items.length > 0 && html`<ul data-held hidden>${items.map((item) => row(item, false))}</ul>`;
}

export function filteredList<Item>(
  context: PageContext,
  name: FilteredListName,
  { choices, find, get, idOf, row, none, title, headings }: Listing<Item>,
  heading?: Markup,
): Markup {
  const { filters = [] } = LIST_COLUMNS[name];
  const { fields, values, total, items } = pageOf(context, name, find);
  const filled = fields.filter((field) => values[field.name] !== "");
  const isFiltered = filled.length > 0;
  const names = filled.map(({ name, label }) => `${label.toLowerCase()} “${values[name]}”`);
  const cleared = Object.fromEntries(filled.map(({ name }) => [name, undefined]));
  const query = filters.flatMap(({ name, field, query }): [string, string][] => {
    const value = field === undefined ? "" : values[field.name]!;
    return value === "" ? [] : Object.entries(query?.(value) ?? { [name]: value });
  });
  const inputs = fields.map((field) => {
    const value = values[field.name]!;
    const options = choices?.[field.name];
    const { name, label: text } = field;
    const label = html`<span class="unseen">${text}</span>`;
    // The search field at the top of the page is this one's.
    if (options === undefined)
      return value !== "" && html`<input type="hidden" name="${name}" value="${value}">`;
    return ui.selectField(name, label, [["", `Any ${text.toLowerCase()}`], ...options], value);
  });
  return html`${choices !== undefined && html`<div class="heading">${heading}${ui.filterForm(context, inputs)}</div>`}
${ui.section({
  id: name,
  isFirst: isFiltered,
  title: title?.(total) ?? (isFiltered ? `${total} found` : ui.formatCount(total, name.replace(/s$/, ""))),
  tools: ui.copyButton("Copy as curl", controlCurl(context, OPERATIONS[name], Object.fromEntries(query))),
  body: html`${ui.rowList(
    headingOf(name),
    items.map((item) => row(item, false)),
    isFiltered
      ? html`None with ${names.join(" and ")}. <a
href="${currentUrl(context, { ...cleared, offset: undefined })}">Clear</a>`
      : none(),
    headings,
  )}${heldRows(context, items.map(idOf), get, row)}${ui.pager(context, total)}`,
  total,
})}`;
}
