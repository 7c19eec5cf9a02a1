import { prorateAmount } from "../../core/domain/money.js";
import { isJsonObject } from "../../core/schema/json-objects.js";

/*
 * Responses and webhooks by shape. A value becomes a token, a form with or without a value, that two sides share if they do the
 * same: amounts become shares of the settlement amount, ids the probe that made them, personal texts only their form. A
 * recording has nothing but tokens, so that it may be committed.
 */

export interface Observation {
  /** 0 for a webhook. */
  readonly status: number;
  /** Field → token. */
  readonly fields: Readonly<Record<string, string>>;
}

/** All that one side has answered, by probe. */
export type Recording = Readonly<Record<string, Observation>>;

export interface ShapeContext {
  /** Id or reference → probe that met it first. */
  readonly seen: Map<string, string>;
  readonly probe: string;
  readonly sent?: unknown;
  /** Wall time of the call, for bodies without a time of their own. */
  readonly atMs: number;
}

export const formOf = (token: string) => token.split(": ", 1)[0]!;
export const valueOfToken = (token: string) =>
  token.includes(": ") ? token.slice(formOf(token).length + 2) : undefined;

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const PERSONAL = /name$|address|e_?mail|phone|account|holder|customer|secret|token/;
const PUBLIC = /^(display_name|bank_name)$/;

/** Texts that name nothing but things of the interface. */
function isPublicText(field: string, text: string): boolean {
  if (PERSONAL.test(field) && !PUBLIC.test(field)) return false;
  return text.length <= 200 && !/@|\d{4}|\d\.\d|sk_|whsec_/.test(text);
}

export function observe(
  status: number,
  body: unknown,
  context: ShapeContext,
  headers?: Headers,
): Observation {
  const root = isJsonObject(body) ? body : {};
  const fields: Record<string, string> = {};
  const { created_at } = isJsonObject(root.data) ? root.data : root;
  const madeMs = timeOf(created_at) ?? context.atMs;
  const sentTexts = new Set(leavesOf(context.sent));
  visit(fields, "", "", body, { ...context, sentTexts, money: referenceAmount(root, context.sent), madeMs });
  delete fields[""];
  if (typeof body !== "object" || body === null) fields.body = body === "" ? "empty" : "no JSON";
  for (const [name, token] of headerTokens(headers)) fields[name] = token;
  return { status, fields };
}

/** Items of a list stop counting here. */
const ITEMS_MAX = 40;

function visit(
  fields: Record<string, string>,
  path: string,
  field: string,
  value: unknown,
  context: TokenContext,
): void {
  const below = (name: string | number) => (path === "" ? String(name) : `${path}.${name}`);
  if (isJsonObject(value)) {
    fields[path] = "object";
    for (const [name, one] of Object.entries(value)) visit(fields, below(name), name, one, context);
  } else if (!Array.isArray(value)) fields[path] = tokenOf(field, value, context);
  else if (value.length > 0 && value.every((item) => typeof item === "string" && isPublicText(field, item)))
    fields[path] = `list: ${value.join(", ")}`;
  else {
    const names = value.map(nameOf);
    const isNamed = value.length > 0 && new Set(names).size === names.length && !names.includes(undefined);
    fields[path] = isNamed ? `list: ${names.join(", ")}` : "list";
    for (const [index, item] of value.slice(0, ITEMS_MAX).entries())
      visit(fields, below(isNamed ? names[index]!.toLowerCase() : index), field, item, context);
  }
}

interface TokenContext extends ShapeContext {
  readonly sentTexts: ReadonlySet<string>;
  readonly money: string | undefined;
  readonly madeMs: number;
}

function tokenOf(field: string, value: unknown, context: TokenContext): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return `boolean: ${value}`;
  if (typeof value === "number") {
    if (value > 1.5e9 && value < 4e9) return "time as seconds";
    return value > 1.5e12 && value < 4e12 ? "time as milliseconds" : "number";
  }
  const text = String(value);
  if (ISO_TIME.test(text)) return timeToken(field, text, context.madeMs);
  if (DECIMAL.test(text) && !/number|phone|code/.test(field)) return decimalToken(field, text, context);
  if (/^https?:/.test(text)) return "url";
  if (context.sentTexts.has(text) && !/^[A-Za-z_]{1,20}\d{0,2}$/.test(text)) return "text: as sent";
  if (text.startsWith("+") && context.sentTexts.has(text.slice(1))) return "text: as sent, with a plus";
  if (isId(field, text)) return idToken(text, context);
  return isPublicText(field, text) ? `text: ${text}` : "text";
}

/** Codes such as USDT_TRC20 have digits too. */
function isId(field: string, text: string): boolean {
  if (!/^[A-Za-z0-9_-]{8,}$/.test(text)) return false;
  return (
    /reference$|_id$|address$|number$/.test(field) ||
    (/\d/.test(text) && !/^[a-z]+_[a-z]+\d{0,2}$/i.test(text))
  );
}

function idToken(text: string, { seen, probe }: ShapeContext): string {
  const [, prefix = ""] = /^([a-z]{1,8}_)/.exec(text) ?? [];
  const form = `id ${prefix}+${text.length - prefix.length}`;
  const first = seen.get(text);
  if (first === undefined) seen.set(text, probe);
  return first === undefined || first === probe ? form : `${form}: of ${first}`;
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === "number") return value < 1e11 ? value * 1_000 : value;
  return typeof value === "string" && ISO_TIME.test(value) ? Date.parse(value) : undefined;
}

function timeToken(field: string, text: string, madeMs: number): string {
  const zone = text.endsWith("Z")
    ? "Z"
    : (/[+-]\d\d:?\d\d$/.exec(text)?.[0].replace(/\d/g, "0") ?? "no zone");
  const form = `time ${/\.\d/.test(text) ? "with ms" : "without ms"} ${zone}`;
  return /expire|until/.test(field)
    ? `${form}: ${Math.round((Date.parse(text) - madeMs) / 1_000)} s later`
    : form;
}

/** Rates are written without a point, `1305e-1`; amounts in percent of the settlement amount. */
function decimalToken(field: string, text: string, { money, sentTexts }: TokenContext): string {
  const places = text.split(".")[1]?.length ?? 0;
  if (field === "exchange_rate") return `rate: ${exponentOf(text)}`;
  const form = `decimal of ${places}`;
  if (/^(settlement_amount|base_amount)$/.test(field)) return sentTexts.has(text) ? `${form}: as sent` : form;
  if (/^m(in|ax)_amount$/.test(field)) return `${form}: ${exponentOf(text)}`;
  if (money === undefined || /balance|usd/.test(field)) return form;
  // Two decimals: amounts are rounded to their currency's decimals.
  return `${form}: ${exponentOf(prorateAmount("100", text, money, 2))} percent`;
}

function referenceAmount(body: Readonly<Record<string, unknown>>, sent: unknown): string | undefined {
  const data = isJsonObject(body.data) ? body.data : body;
  const { settlement_amount: settlement } = data;
  const pricing = isJsonObject(sent) && isJsonObject(sent.pricing) ? sent.pricing.amount : undefined;
  const amount = settlement ?? pricing;
  return (typeof amount === "string" || typeof amount === "number") && /[1-9]/.test(String(amount))
    ? String(amount)
    : undefined;
}

/** A decimal without its point, `1305e-1`. */
function exponentOf(text: string): string {
  const [digits = "", power] = Number(text).toExponential().split("e");
  const whole = digits.replace(".", "");
  return `${whole}e${Number(power) + 1 - whole.length}`;
}

/** Item's name among the others of its list: a word such as a code. Records with an id of their own have none. */
function nameOf(item: unknown): string | undefined {
  if (!isJsonObject(item) || Object.keys(item).some((key) => key.endsWith("_id"))) return undefined;
  const name = item.id ?? item.code ?? item.currency;
  return typeof name === "string" && /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]{1,12})*$/.test(name)
    ? name
    : undefined;
}

export function leavesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [String(value)];
  return Object.values(value).flatMap(leavesOf);
}

const HEADERS = /^(content-type|allow|retry-after|.*idempot.*|.*rate-?limit.*)$/;

function headerTokens(headers: Headers | undefined): [string, string][] {
  return [...(headers ?? [])]
    .filter(([name]) => HEADERS.test(name))
    .map(([name, value]) => [
      `header.${name}`,
      `text: ${value
        .split(";", name === "content-type" ? 1 : 9)
        .join(";")
        .replace(/\d+/g, "N")}`,
    ]);
}
