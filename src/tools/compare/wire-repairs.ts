import type { WireRule } from "../../core/schema/wire-rules.js";
import type { Difference } from "./differences.js";
import type { Probe } from "./plan.js";
import type { Repair } from "./repairs.js";
import type { RunResult } from "./run.js";
import { formOf, valueOfToken } from "./shape.js";

type Alteration = Omit<WireRule, "operation" | "event">;

const TIMES: readonly (readonly [theirs: RegExp, times: WireRule["times"]])[] = [
  [/^time without ms Z/, "without_ms"],
  [/^time with ms \+00:00/, "with_offset"],
  [/^time as seconds/, "unix"],
  [/^time as milliseconds/, "unix_ms"],
];

/** The rule of `wire` that gives ours the form of theirs, for all operations if none contradicts. */
export function wireRepair(
  difference: Difference,
  probe: Probe | undefined,
  run: RunResult,
  statuses: readonly string[],
): Repair | undefined {
  const ours = run.ours[difference.probe]?.fields ?? {};
  const field = pathOnWire(difference.field, ours);
  if (isOfOneItem(difference, run) || isElsewhere(difference, run)) return undefined;
  const alteration = areNullsAbsent(difference, run)
    ? { nulls: "absent" as const }
    : alterationOf(difference, field, statuses);
  if (alteration === undefined) return undefined;
  const isEvent = difference.probe.startsWith("event ");
  const scope = probe?.unrouted || isUniversal(difference, field, run, isEvent) ? "*" : difference.operation;
  return { config: { wire: [{ [isEvent ? "event" : "operation"]: scope, ...alteration }] } };
}

/** A difference in one item of a list, or in the details of one error, is no matter of form. */
function isOfOneItem(
  { field, kind, probe }: Difference,
  { ours, recording, differences }: RunResult,
): boolean {
  const parent = field.slice(0, Math.max(0, field.lastIndexOf(".")));
  const isItem = [ours, recording].some((side) => side[probe]?.fields[parent]?.startsWith("list"));
  if (kind === "missing" || kind === "extra") return isItem || parent === "error.details";
  // Another item stands at this place.
  const isMoved = (one: Difference) =>
    one.probe === probe && one.kind === "value" && /^items\.\d+\.\w+_id$/.test(one.field);
  return field.startsWith("items.") && differences.some(isMoved);
}

/** The service leaves out all that is null here. */
function areNullsAbsent(
  { kind, ours, theirs, probe }: Difference,
  { ours: own, recording }: RunResult,
): boolean {
  const there = recording[probe]?.fields ?? {};
  const isLeftOut = ([field, token]: [string, string]) => token !== "null" || !(field in there);
  return (
    kind === "missing" &&
    theirs === "none" &&
    ours === "null" &&
    Object.entries(own[probe]!.fields).every(isLeftOut)
  );
}

/** No field of the body, or one that may be in another place there. */
function isElsewhere({ field, kind, theirs, probe }: Difference, { differences }: RunResult): boolean {
  const isBranch = (one: Difference) =>
    one.probe === probe && one.kind === "extra" && /^(object|list)/.test(one.theirs);
  return (
    /^header\.|^\(/.test(field) || (kind === "missing" && theirs === "none" && differences.some(isBranch))
  );
}

function alterationOf(
  { kind, theirs, ours, operation }: Difference,
  field: string,
  statuses: readonly string[],
): Alteration | undefined {
  const [value, own] = [scalarOf(theirs), scalarOf(ours)];
  const name = /^named (\w+)$/.exec(theirs)?.[1];
  switch (kind) {
    case "missing":
      if (name !== undefined) return { rename: { [field]: name } };
      return theirs === "none" ? { drop: [field] } : undefined;
    case "extra":
      return value === undefined ? undefined : { add: { [field]: value } };
    case "status": {
      const [to, from] = [Number.parseInt(theirs, 10), Number.parseInt(ours, 10)];
      return to >= 400 === from >= 400 ? { status: { [from]: to } } : undefined;
    }
    case "form": {
      if (formOf(ours).startsWith("time")) {
        const times = TIMES.find(([form]) => form.test(theirs))?.[1];
        return times === undefined ? undefined : { times };
      }
      if (theirs.startsWith("number") && /^(decimal|rate)/.test(ours)) return { numbers: [field] };
    }
  }
  if ((kind !== "value" && kind !== "form") || value === undefined || own === undefined) return undefined;
  // A payment that ends otherwise is no matter of words.
  const isOtherCourse =
    /status/.test(field) && statuses.includes(String(value)) && operation !== "createWhitelabel";
  return isOtherCourse ? undefined : { values: { [field]: { [String(own)]: value } } };
}

function scalarOf(token: string): string | boolean | null | undefined {
  const value = valueOfToken(token);
  if (token === "null") return null;
  if (token.startsWith("boolean: ")) return value === "true";
  return token.startsWith("text: ") && !/^as sent/.test(value!) ? value : undefined;
}

/** The field without the names of items in lists. */
export function pathOnWire(field: string, fields: Readonly<Record<string, string>>): string {
  const parts = field.split(".");
  return parts
    .filter((_part, index) => !/^list/.test(fields[parts.slice(0, index).join(".")] ?? ""))
    .join(".");
}

/** A form that a rule gives all fields: of times, or of nulls. */
function formOfAll({ kind, theirs, ours }: Difference): string | undefined {
  if (formOf(theirs).startsWith("time")) return formOf(theirs);
  return kind === "missing" && ours === "null" ? ours : undefined;
}

/** No other operation, or type of event, has ours in that form and theirs not. */
function isUniversal(difference: Difference, field: string, run: RunResult, isEvent: boolean): boolean {
  const form = formOfAll(difference);
  const isAlike = (one: Difference) =>
    one.kind === difference.kind &&
    (form === undefined
      ? one.theirs === difference.theirs && pathOnWire(one.field, run.ours[one.probe]?.fields ?? {}) === field
      : formOfAll(one) === form);
  const alike = new Set(run.differences.filter(isAlike).map(({ operation }) => operation));
  if (alike.size < 2 || difference.kind === "extra")
    return alike.size > 1 && isEvent && alike.size >= eventTypes(run).size;
  const operations = new Map(run.probes.map(({ id, operation }) => [id, operation as string]));
  return Object.entries(run.ours).every(([id, { status, fields }]) => {
    const operation = operations.get(id) ?? valueOfToken(fields.type ?? "") ?? "";
    if (id.startsWith("event ") !== isEvent || alike.has(operation) || operation === "") return true;
    if (difference.kind === "status") return status !== Number.parseInt(difference.ours, 10);
    return form === undefined
      ? Object.keys(fields).every((one) => pathOnWire(one, fields) !== field)
      : Object.values(fields).every((token) => formOf(token) !== formOf(difference.ours));
  });
}

const eventTypes = ({ ours }: RunResult) =>
  new Set(
    Object.entries(ours).flatMap(([id, { fields }]) =>
      id.startsWith("event ") && fields.type !== undefined ? [fields.type] : [],
    ),
  );
