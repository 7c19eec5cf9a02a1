/** A list of the control API: filter form, one page of rows, and the same query as curl. */
import { LIST_COLUMNS, type ListName } from "../../core/reports/list-columns.js";
import { SandboxError } from "../../core/schema/refusals.js";
import { MAX_LENGTHS } from "../../core/schema/schema-checks.js";
import type { Result } from "../../server/http/page-host.js";
import { type Content, html, type Markup } from "../html.js";
import * as ui from "./components.js";
import { currentUrl, type PageContext, pageOffset, ROWS_PER_PAGE } from "./page-context.js";
import { controlCurl } from "./shell-commands.js";

/** Operation that returns the list. */
const OPERATIONS = {
  charges: "listCharges",
  deliveries: "listDeliveries",
  requests: "listRequests",
  withdrawals: "listControlWithdrawals",
} as const satisfies { readonly [Name in ListName]?: string };
type FilteredListName = keyof typeof OPERATIONS;
type ItemOf<Name extends FilteredListName> = Result<(typeof OPERATIONS)[Name]>["items"][number];

export interface Listing<Name extends FilteredListName> {
  readonly name: Name;
  /** Options of each select field, by field name; a list without choices has no filter. */
  readonly choices?: Readonly<Record<string, ui.Options>>;
  readonly get: (id: string) => Promise<ItemOf<Name>>;
  idOf(item: ItemOf<Name>): string;
  row(item: ItemOf<Name>): Markup;
  /** Text of the list without a filter. */
  readonly none: Content;
  readonly title?: (total: number) => string;
  readonly headings: ui.Headings;
}

export type AnyListing = Listing<FilteredListName>;

/** Filters of the page's query, and the query of the control API that they stand for. */
function filtersOf({ query }: PageContext, name: ListName) {
  const { filters = [] } = LIST_COLUMNS[name];
  const set = filters.flatMap(({ name, field, query: queryOf }) => {
    const value = field && query.get(field.name)?.trim().slice(0, MAX_LENGTHS.name);
    return value ? [{ field, value, asked: queryOf?.(value) ?? { [name]: value } }] : [];
  });
  const asked: Record<string, string> = Object.assign({}, ...set.map((filter) => filter.asked));
  return { fields: filters.flatMap(({ field }) => field ?? []), set, asked };
}

interface ListPage<Item> {
  readonly total: number;
  readonly items: readonly Item[];
  /** Why a filter is refused. */
  readonly refusal?: string;
}

/** Page of the list, with the page's filters. */
async function pageOf<Name extends FilteredListName>(
  context: PageContext,
  name: Name,
): Promise<ListPage<ItemOf<Name>>> {
  const { mode } = context;
  const input = {
    ...filtersOf(context, name).asked,
    limit: ROWS_PER_PAGE,
    offset: pageOffset(context),
    mode,
  };
  const page = context.ask(OPERATIONS[name], input) as Promise<ListPage<ItemOf<Name>>>;
  return page.catch((error) => {
    if (!(error instanceof SandboxError)) throw error;
    return { total: 0, items: [], refusal: error.message };
  });
}

function headingOf(name: ListName): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`;
}

/** Id of the only record that the page's filters match. */
export async function onlyMatch<Name extends FilteredListName>(
  context: PageContext,
  { name, idOf }: Listing<Name>,
): Promise<string | undefined> {
  const { total, items } = await pageOf(context, name);
  return total === 1 ? idOf(items[0]!) : undefined;
}

async function find<Name extends FilteredListName>({ get }: Listing<Name>, id: string) {
  return get(id).catch((error) => {
    if (error instanceof SandboxError) return undefined;
    throw error;
  });
}

/** Rows that a paused list still shows and that are on another page now, so that their status is the present one. */
async function heldRows<Name extends FilteredListName>(
  { heldKeys }: PageContext,
  shown: readonly string[],
  listing: Listing<Name>,
): Promise<Markup | false> {
  const keys = heldKeys.map((key) => key.replace(/^request-/, ""));
  const ids = keys.filter((id) => id !== "" && !shown.includes(id));
  const items = (await Promise.all(ids.map((id) => find(listing, id)))).flatMap((item) => item ?? []);
  return items.length > 0 && html`<ul data-held hidden>${items.map((item) => listing.row(item))}</ul>`;
}

export async function filteredList<Name extends FilteredListName>(
  context: PageContext,
  listing: Listing<Name>,
  heading?: Markup,
): Promise<Markup> {
  const { name, choices, idOf, row, none, title, headings } = listing;
  const { fields, set, asked } = filtersOf(context, name);
  const { total, items, refusal } = await pageOf(context, name);
  const isFiltered = set.length > 0;
  const nameOf = ({ field, value }: (typeof set)[number]) =>
    `${field!.label.toLowerCase()}${field!.name === "stuck" ? "" : ` “${value}”`}`;
  // A select shows its own filter.
  const active = set.flatMap((filter) => {
    const name = filter.field!.name;
    if (choices?.[name] !== undefined) return [];
    const url = currentUrl(context, { [name]: undefined, offset: undefined });
    return html`${nameOf(filter)} <a href="${url}">Clear<span class="unseen"> ${nameOf(filter)}</span></a>`;
  });
  const cleared = Object.fromEntries(set.map(({ field }) => [field!.name, undefined]));
  const inputs = fields.map(({ name, label: text }) => {
    const value = context.query.get(name)?.trim() ?? "";
    const options = choices?.[name];
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
  tools: ui.copyButton("Copy as curl", controlCurl(context, OPERATIONS[name], asked)),
  body: html`${total > 0 && active.length > 0 && html`<p class="soft">With ${ui.joinWithDots(active)}</p>`}${ui.rowList(
    headingOf(name),
    items.map((item) => row(item)),
    isFiltered
      ? html`None with ${set.map(nameOf).join(" and ")}. ${refusal !== undefined && `${refusal} `}<a
href="${currentUrl(context, { ...cleared, offset: undefined })}">Clear</a>`
      : none,
    headings,
  )}${await heldRows(context, items.map(idOf), listing)}${ui.pager(context, total)}`,
  total,
})}`;
}
