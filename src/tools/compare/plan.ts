import { parseDocument } from "../../core/files/documents.js";
import { readPackageFile } from "../../core/files/package.js";
import { type InvalidKind, invalidBody, type Json } from "./invalid-values.js";

/** A call to make on every side. `${…}` in it is a field of an earlier response on the same side. */
export interface Probe {
  readonly id: string;
  readonly operation: string;
  readonly method: string;
  /** Path with parameters filled in, and the query. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent in place of the body. */
  readonly text?: { readonly type: string; readonly content: string };
  readonly authorization?: "none" | "unknown" | "basic";
  readonly headers?: Readonly<Record<string, string>>;
  readonly bad?: boolean;
  /** When the payments are final, or their webhooks have been observed; default: at once. */
  readonly when?: "paid" | "end";
  /** No route of the sandbox. */
  readonly unrouted?: boolean;
  readonly decides?: readonly string[];
  /** Fields that depend on the account. */
  readonly omit?: string;
  readonly about?: Readonly<Record<"method" | "currency", string>>;
}

type Row = Omit<Probe, "id" | "operation" | "method" | "path" | "about"> & {
  readonly call: string;
  readonly name?: string;
  readonly method?: string;
  readonly path?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly as?: string;
  readonly for?: "currencies" | "methods";
  readonly invalid?: readonly InvalidKind[];
  readonly schema?: string;
  readonly payouts?: boolean;
};

export interface Tables {
  readonly probes: readonly Row[];
  readonly customer: Readonly<Record<string, object>>;
  readonly places: readonly (readonly [operation: string, field: string, ...decides: string[]])[];
  readonly repairs: readonly (readonly [operation: string, field: string, kind: string, repair: object])[];
}

const TABLES = "fixtures/compare.yaml";

export async function readTables(): Promise<Tables> {
  return (await parseDocument(TABLES, readPackageFile(TABLES))).value as Tables;
}

export interface Method {
  readonly id: string;
  readonly currencies: readonly string[];
}

export interface PlanOptions {
  readonly document: Json;
  readonly tables: Tables;
  readonly methods: readonly Method[];
  readonly payouts: boolean;
}

/** The rows of the table as calls, with the paths and schemas of the OpenAPI document. */
export function planProbes({ document, tables, methods, payouts }: PlanOptions): Probe[] {
  const { quotes, quoted } = pairs(methods);
  const bodies = new Map<string, Json>();
  const rows = tables.probes
    .filter((row) => payouts || !row.payouts)
    .flatMap((row): Row[] => {
      if (row.for === undefined) return [row];
      const all = row.for === "currencies" ? quotes : quoted;
      return all.map((pair) => ({ ...filled(row, pair), about: pair }));
    });
  // A row may take the body of one that is called later.
  for (const row of rows)
    if (row.as === undefined && row.invalid === undefined && row.body !== undefined) {
      const body = row.body as Json;
      bodies.set(idOf(row), {
        ...body,
        ...(row.call === "createWhitelabel" ? tables.customer[body.payment_method] : {}),
      });
    }
  return rows.flatMap((row): Probe[] => {
    const { call, params = {}, query, as, invalid, schema } = row;
    if (as !== undefined && !bodies.has(as)) return [];
    const route = routeOf(document, call);
    const path =
      row.path ?? route.path.replace(/\{(\w+)\}/g, (_all, parameter: string) => params[parameter] ?? "");
    const base = {
      ...row,
      operation: call,
      method: row.method ?? route.method,
      path: query === undefined ? path : `${path}?${query}`,
    };
    const body = { ...bodies.get(as ?? idOf(row)), ...(row.body as object | undefined) };
    const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    if (invalid === undefined)
      return [{ ...base, id: idOf(row), body: Object.keys(sent).length === 0 ? undefined : sent }];
    const shape = schema === undefined ? route.schema : document.components.schemas[schema];
    return invalid.map((kind) => ({
      ...base,
      id: `${call} invalid ${kind}`,
      bad: true,
      body: invalidBody(shape, kind, document, sent),
    }));
  });
}

const idOf = ({ call, name }: Row) => (name === undefined ? call : `${call} ${name}`);

/** Fills in `{name}`, but not `${…}`. */
function filled(row: Row, values: Readonly<Record<string, string>>): Row {
  return JSON.parse(
    JSON.stringify(row).replace(/\{(method|currency)\}/g, (all, name: string) => values[name] ?? all),
  ) as Row;
}

/** Each currency with a method that takes it, every method in turn, and each method with its first currency. */
function pairs(methods: readonly Method[]) {
  const quotes: { method: string; currency: string }[] = [];
  for (const currency of new Set(methods.flatMap(({ currencies }) => currencies))) {
    if (currency === "USD") continue;
    const taking = methods.filter(({ currencies }) => currencies.includes(currency));
    const method = taking.find(({ id }) => quotes.every((quote) => quote.method !== id)) ?? taking[0]!;
    quotes.push({ method: method.id, currency });
  }
  const quoted = quotes.filter(
    ({ method }, index) => quotes.findIndex((one) => one.method === method) === index,
  );
  return { quotes, quoted };
}

function routeOf(document: Json, operation: string) {
  for (const [path, item] of Object.entries<Json>(document.paths))
    for (const [method, found] of Object.entries<Json>(item))
      if (found.operationId === operation)
        return {
          method: method.toUpperCase(),
          path,
          schema: found.requestBody?.content["application/json"].schema as Json,
        };
  throw new Error(`no operation ${operation}`);
}

export const pathOf = (document: Json, operation: string): string => routeOf(document, operation).path;

/** Likely paths of an operation that the documentation names without one, none of them another operation's. */
export function guessPaths(path: string, known: readonly string[]): string[] {
  const segments = path.replace(/^\/api\/v1\//, "").split("/");
  const last = segments.at(-1)!;
  const word = last.split("-").at(-1)!;
  const guesses = [
    [...segments.slice(0, -1), word],
    [last],
    ["payments", last],
    ["payments", `${segments[0]}-${word}`],
    [word],
  ];
  const paths = guesses.map((parts) => `/api/v1/${parts.join("/")}`);
  return [...new Set(paths)].filter((one) => !known.includes(one)).slice(0, 3);
}
