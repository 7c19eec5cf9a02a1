import { decimalNotation } from "../../core/domain/money.js";
import { CHARGE_STATUSES } from "../../core/schema/common.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import type { Difference } from "./differences.js";
import type { Probe, Tables } from "./plan.js";
import type { Repair } from "./repairs.js";
import type { RunResult } from "./run.js";
import { valueOfToken } from "./shape.js";
import { wireRepair } from "./wire-repairs.js";

type Place = Omit<Difference, "probe">;

export function decidesOf(
  place: Place,
  probe: Probe | undefined,
  { tables }: Pick<RunResult, "tables">,
): readonly string[] {
  const { field, kind, theirs, ours } = place;
  const id = probe?.id ?? place.operation;
  const decides = placeOf(id, field, ours, tables);
  if (kind === "status") {
    const [a, b] = [theirs, ours].map((status) => Number.parseInt(status, 10) < 400);
    if (a === b) return a ? ["A2.9"] : ["A2.1"];
    // An error names the fields that it is about.
    const [, details] = /\((.+)\)/.exec(theirs) ?? [];
    const named = details?.split(", ").flatMap((name) => placeOf(id, `error.details.${name}`, "", tables));
    return named ?? probe?.decides ?? decides;
  }
  if (kind !== "form") return decides;
  if (theirs.startsWith("number") && /^(decimal|rate)/.test(ours)) return ["R2.1"];
  if (/^time/.test(theirs) && /^time/.test(ours)) return ["A2.11"];
  return /^decimal/.test(theirs) && /^decimal/.test(ours) ? ["A4.2"] : decides;
}

function placeOf(id: string, field: string, ours: string, { places }: Tables): readonly string[] {
  const fits = (pattern: string, ...texts: string[]) => texts.some((text) => new RegExp(pattern).test(text));
  const [, , ...decides] = places.find(([a, b]) => fits(a, id) && fits(b, field, `${field}: ${ours}`))!;
  return decides;
}

/** Values for the placeholders of a repair; one that is undefined makes the repair void. */
function valuesOf(
  { operation, field, theirs, ours, probe: id }: Difference,
  probe: Probe | undefined,
  run: RunResult,
): Record<string, unknown> {
  const value = valueOfToken(theirs);
  const seconds = /: (\d+) s/.exec(theirs)?.[1];
  const percent = percentOf(theirs);
  const [, item, name] = field.split(".");
  const isLifetimeGiven = isJsonObject(probe?.body) && "expires_in_minutes" in probe.body;
  const typed = theirs.startsWith("list: ")
    ? value?.split(", ")
    : theirs.startsWith("boolean")
      ? value === "true"
      : (value ?? theirs);
  return {
    ...probe?.about,
    operation,
    item,
    name,
    value: typed,
    ours: valueOfToken(ours),
    seconds,
    minutes:
      seconds === undefined || isLifetimeGiven ? undefined : Math.max(1, Math.round(Number(seconds) / 60)),
    percent: percent === undefined ? undefined : decimalNotation(Number(percent)),
    decimal: value === undefined ? undefined : decimalNotation(Number(value)),
    places: /^decimal of (\d+)/.test(theirs) ? Number(/\d+/.exec(theirs)![0]) : undefined,
    limit: theirs.startsWith("over") ? "off" : Number(theirs),
    before_method:
      id === "createCheckout open" && percent !== undefined
        ? beforeMethod(Number(percent) - 100, run)
        : undefined,
  };
}

const percentOf = (token = "") => /: (\S+) percent/.exec(token)?.[1];

/** Which fee, of those in the quotes, a checkout without a method has in its amount. */
function beforeMethod(fee: number, { ours }: RunResult): string | undefined {
  const fees = Object.entries(ours).flatMap(([id, { fields }]) =>
    id.startsWith("createQuote to") ? [Number(percentOf(fields["fees.total_fee"]))] : [],
  );
  const choices = { base: 0, cheapest: Math.min(...fees), dearest: Math.max(...fees) };
  return Object.entries(choices).find(([, other]) => Math.abs(fee - other) <= 0.011)?.[0];
}

/** Fills in a template; a text that is one placeholder takes the value's type. @throws if a value is missing */
function fillIn(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  const valueFor = (name: string) => {
    if (values[name] === undefined) throw new RangeError(name);
    return values[name];
  };
  if (typeof template === "string") {
    const [, whole] = /^\{(\w+)\}$/.exec(template) ?? [];
    return whole === undefined
      ? template.replace(/\{(\w+)\}/g, (_all, name: string) => String(valueFor(name)))
      : valueFor(whole);
  }
  if (Array.isArray(template)) return template.map((one) => fillIn(one, values));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, one]) => [String(fillIn(key, values)), fillIn(one, values)]),
  );
}

function repairOf(difference: Difference, probe: Probe | undefined, run: RunResult): Repair | undefined {
  const { operation, field, kind } = difference;
  const row = run.tables.repairs.find(
    ([a, b, c]) => c === kind && new RegExp(a).test(operation) && new RegExp(b).test(field),
  );
  try {
    if (row !== undefined) return fillIn(row[3], valuesOf(difference, probe, run)) as Repair;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return wireRepair(difference, probe, run, CHARGE_STATUSES);
}

export interface Explained extends Difference {
  readonly decides: readonly string[];
  readonly repair: Repair | undefined;
}

/** Names what each difference decides, and what follows it. A consequence has the repair of its cause. */
export function explain(run: RunResult): Explained[] {
  const probes = new Map(run.probes.map((probe) => [probe.id, probe]));
  const explained = run.differences.map((difference): Explained => {
    const probe = probes.get(difference.probe);
    return {
      ...difference,
      decides: decidesOf(difference, probe, run),
      repair: repairOf(difference, probe, run),
    };
  });
  return explained.map((one) => {
    if (one.repair !== undefined || !/^(value|form)$/.test(one.kind)) return one;
    const cause = explained.find(
      ({ repair, decides, probe, kind }) =>
        repair !== undefined &&
        kind === one.kind &&
        decides[0] === one.decides[0] &&
        (probe === one.probe || kind === "form"),
    );
    return { ...one, repair: cause?.repair };
  });
}
