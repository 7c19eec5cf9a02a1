import { isJsonObject } from "../schema/json-objects.js";
import type { WireRule } from "../schema/wire-rules.js";
import { globMatches } from "./glob.js";

/*
 * The option `wire`: gives responses and webhooks another form at their exit. Rules apply in their order, each to what
 * the one before has left; within a rule, names are those before `rename`.
 */

/** Digits of a decimal text, to be written as a JSON number without a detour over floats. */
class Digits {
  constructor(readonly text: string) {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value) && !(value instanceof Digits);
}

type Entries = [string, unknown][];

const TIMES: Readonly<Record<NonNullable<WireRule["times"]>, (iso: string) => unknown>> = {
  without_ms: (iso) => iso.replace(/\.\d+Z$/, "Z"),
  with_offset: (iso) => iso.replace(/Z$/, "+00:00"),
  unix: (iso) => Math.floor(Date.parse(iso) / 1_000),
  unix_ms: (iso) => Date.parse(iso),
};
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Alters the objects and fields at a path; lists on the way stand for all their items. */
function alter(
  value: unknown,
  path: readonly string[],
  change: (entry: [string, unknown]) => Entries,
): unknown {
  if (Array.isArray(value)) return value.map((item) => alter(item, path, change));
  if (!isObject(value)) return value;
  const [name, ...rest] = path;
  return Object.fromEntries(
    Object.entries(value).flatMap((entry): Entries => {
      if (entry[0] !== name) return [entry];
      return rest.length === 0 ? change(entry) : [[name, alter(entry[1], rest, change)]];
    }),
  );
}

function mapScalars(value: unknown, map: (scalar: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(map) : map(value);
}

function add(value: unknown, path: readonly string[], added: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => add(item, path, added));
  if (!isObject(value)) return value;
  const [name = "", ...rest] = path;
  if (rest.length === 0) return { ...value, [name]: added };
  return Object.hasOwn(value, name) ? { ...value, [name]: add(value[name], rest, added) } : value;
}

/** Changes all scalars and fields; metadata is the app's own and stays. */
function alterAll(
  value: unknown,
  scalar: (one: unknown) => unknown,
  isKept = (_one: unknown) => true,
): unknown {
  if (Array.isArray(value)) return value.map((item) => alterAll(item, scalar, isKept));
  if (!isObject(value)) return scalar(value);
  const kept = Object.entries(value).filter(([, one]) => isKept(one));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, name === "metadata" ? one : alterAll(one, scalar, isKept)]),
  );
}

function applyRule(body: unknown, rule: WireRule): unknown {
  let value = body;
  const each = (fields: readonly string[], change: (field: string, entry: [string, unknown]) => Entries) => {
    for (const field of fields) value = alter(value, field.split("."), (entry) => change(field, entry));
  };
  const { rename = {}, drop = [], add: added = {}, values = {}, times, nulls, numbers = [] } = rule;
  each(Object.keys(values), (field, [name, one]) => [
    [
      name,
      mapScalars(one, (scalar) =>
        Object.hasOwn(values[field]!, String(scalar)) ? values[field]![String(scalar)] : scalar,
      ),
    ],
  ]);
  each(numbers, (_field, [name, one]) => [
    [
      name,
      mapScalars(one, (text) =>
        typeof text === "string" && /^\d+(\.\d+)?$/.test(text) ? new Digits(text) : text,
      ),
    ],
  ]);
  if (times !== undefined)
    value = alterAll(value, (one) =>
      typeof one === "string" && ISO_TIME.test(one) ? TIMES[times](one) : one,
    );
  if (nulls === "absent")
    value = alterAll(
      value,
      (one) => one,
      (one) => one !== null,
    );
  // Fields that are added belong to what was asked for, not to an error.
  const isError = isJsonObject(body) && "error" in body;
  for (const [field, one] of Object.entries(added))
    if (!isError || field.startsWith("error.")) value = add(value, field.split("."), one);
  each(drop, () => []);
  // The fields of an object before the object itself.
  const renamed = Object.keys(rename).sort((a, b) => b.split(".").length - a.split(".").length);
  each(renamed, (field, [, one]) => [[rename[field]!, one]]);
  return value;
}

function write(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}:${write(one)}`)
    .join()}}`;
}

function applyRules(json: string, rules: readonly WireRule[]): string {
  return rules.length === 0 ? json : write(rules.reduce<unknown>(applyRule, JSON.parse(json)));
}

/** A response in the form of the rules for its operation; an unknown call has none, and only `*` matches it. */
export function wireResponse<Response extends { readonly status: number; readonly json: string }>(
  rules: readonly WireRule[],
  operation: string | null,
  response: Response,
): Response {
  const own = rules.filter(
    (rule) => rule.operation !== undefined && globMatches(rule.operation, operation ?? ""),
  );
  const status = own.reduce((status, rule) => rule.status?.[String(status)] ?? status, response.status);
  return { ...response, status, json: applyRules(response.json, own) };
}

export function wireEvent(rules: readonly WireRule[], type: string, body: string): string {
  return applyRules(
    body,
    rules.filter((rule) => rule.event !== undefined && globMatches(rule.event, type)),
  );
}
