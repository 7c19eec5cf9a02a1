import { formOf, type Observation, type Recording, valueOfToken } from "./shape.js";
import { isOfAnyPayment, RETRY_KEY } from "./webhooks.js";

export interface Difference {
  readonly operation: string;
  readonly field: string;
  readonly kind: "missing" | "extra" | "value" | "form" | "status" | "event";
  readonly theirs: string;
  readonly ours: string;
  readonly probe: string;
}

interface Compared {
  readonly id: string;
  readonly operation: string;
  readonly omit?: RegExp | undefined;
  /** Compares what all of our payments have alike with one of theirs. */
  readonly isOfAny?: boolean | undefined;
}

/** Behaviour that two sandboxes of different seeds share is compared by value, the rest by form. */
export function differencesOf(
  { id: probe, operation, omit, isOfAny = false }: Compared,
  theirs: Observation,
  ours: Observation,
  twin: Observation,
): Difference[] {
  const found: Difference[] = [];
  const add = (kind: Difference["kind"], field: string, a: string | number, b: string | number) =>
    found.push({ operation, field, kind, theirs: String(a), ours: String(b), probe });
  const failed = [theirs, ours].map(({ status }) => status >= 400);
  if (theirs.status !== ours.status) add("status", "status", statusText(theirs), statusText(ours));
  if (failed[0] !== failed[1]) return found;
  const isBranch = (token: string | undefined) => /^(list|object)/.test(token ?? "");
  // A list in place of an object is one difference, not one for each field in it.
  const reshaped = Object.keys(ours.fields).filter((field) => {
    const [a, b] = [theirs.fields[field], ours.fields[field]];
    return a !== undefined && isBranch(b) && formOf(a) !== formOf(b!);
  });
  const isCompared = (field: string) =>
    !omit?.test(field) && !reshaped.some((branch) => field.startsWith(`${branch}.`));
  const fields = (one: Observation) => Object.keys(one.fields).filter(isCompared);
  const absent = topmost(fields(ours).filter((field) => !(field in theirs.fields)));
  // An error that names one fault of several is one difference, not one for each that it leaves out.
  const isShorter = (field: string) => field.startsWith("error.details.") && namedIn(theirs) !== "";
  const missing = absent.filter((field) => !isShorter(field));
  if (missing.length < absent.length)
    add("missing", "error.details", `list: ${namedIn(theirs)}`, `list: ${namedIn(ours)}`);
  const extra = isOfAny ? [] : topmost(fields(theirs).filter((field) => !(field in ours.fields)));
  for (const field of missing) {
    const other = renamedTo(field, missing, extra, theirs, ours);
    if (other !== undefined) extra.splice(extra.indexOf(other), 1);
    add("missing", field, other === undefined ? "none" : `named ${lastPart(other)}`, ours.fields[field]!);
  }
  for (const field of extra) add("extra", field, theirs.fields[field]!, "none");
  for (const field of fields(ours)) {
    const [a, b] = [theirs.fields[field], ours.fields[field]!];
    if (a === undefined || a === b) continue;
    if (formOf(a) !== formOf(b)) add("form", field, a, b);
    else if (isOfAny && valueOfToken(b) === undefined) continue;
    else if (b === twin.fields[field] && !isSameValue(a, b)) add("value", field, a, b);
  }
  return found;
}

const lastPart = (field: string) => field.slice(field.lastIndexOf(".") + 1);
const parentOf = (field: string) => field.slice(0, Math.max(0, field.lastIndexOf(".")));
const topmost = (fields: readonly string[]) => fields.filter((field) => !fields.includes(parentOf(field)));

function namedIn({ fields }: Observation): string {
  const names = Object.keys(fields).flatMap((field) => /^error\.details\.(.+)$/.exec(field)?.[1] ?? []);
  return names.join(", ");
}

const statusText = (side: Observation) =>
  namedIn(side) === "" ? String(side.status) : `${side.status} (${namedIn(side)})`;

/** The extra field at the same place that has the form, if it is the only one and the only one missing. */
function renamedTo(
  field: string,
  missing: readonly string[],
  extra: readonly string[],
  theirs: Observation,
  ours: Observation,
): string | undefined {
  const isTwin = (one: string, side: Observation) =>
    parentOf(one) === parentOf(field) && formOf(side.fields[one]!) === formOf(ours.fields[field]!);
  const candidates = extra.filter((one) => isTwin(one, theirs));
  const same = candidates.filter((one) => theirs.fields[one] === ours.fields[field]);
  if (same.length === 1 && valueOfToken(theirs.fields[same[0]!]!) !== undefined) return same[0];
  return candidates.length === 1 && missing.filter((one) => isTwin(one, ours)).length === 1
    ? candidates[0]
    : undefined;
}

/** Times and shares may differ by rounding. */
function isSameValue(a: string, b: string): boolean {
  const [first, second] = [a, b].map((one) =>
    /: (\S+) (percent|s later|s)(?:, give or take (\d+))?$/.exec(one),
  );
  if (!first || !second || first[2] !== second[2]) return false;
  const slack = first[2] === "percent" ? 0.011 : Math.max(1, Number(first[3] ?? 0));
  return Math.abs(Number(first[1]) - Number(second[1])) <= slack;
}

/** Returns true if the waits before the first retry are equal only because the service is slow. */
export function isRetryUnsure(theirs: Recording, ours: Recording): boolean {
  const [a, b] = [theirs, ours].map((side) => side[RETRY_KEY]?.fields["first retry"] ?? "");
  const exact = a!.replace(/, give or take .*/, "");
  return exact !== a && isSameValue(a!, b!) && !isSameValue(exact, b!);
}

/** Differences of events: those that one side lacks, and of each the fields. */
export function eventDifferences(theirs: Recording, ours: Recording, twin: Recording): Difference[] {
  // A payment that one side refused has nothing to compare.
  const isShared = (key: string) => {
    const [, payment] = /^event (?:order )?(.+?)(?: [A-Z_]+)?$/.exec(key) ?? [];
    const [a, b] = [theirs, ours].map((side) => side[`createWhitelabel ${payment}`]?.status ?? 0);
    return a! >= 400 === b! >= 400;
  };
  const keys = (side: Recording) =>
    Object.keys(side).filter((key) => key.startsWith("event ") && isShared(key));
  const typeOf = (key: string) => valueOfToken((ours[key] ?? theirs[key])?.fields.type ?? "") ?? "webhook";
  const base = (key: string) => ({ operation: typeOf(key), field: "", kind: "event" as const, probe: key });
  return [
    ...keys(ours)
      .filter((key) => theirs[key] === undefined && key !== RETRY_KEY && !isOfAnyPayment(key))
      .map((key) => ({ ...base(key), theirs: "none", ours: typeOf(key) })),
    ...keys(theirs)
      .filter((key) => ours[key] === undefined && !isOfAnyPayment(key))
      .map((key) => ({ ...base(key), theirs: typeOf(key), ours: "none" })),
    ...keys(ours).flatMap((key) =>
      theirs[key] === undefined || twin[key] === undefined
        ? []
        : differencesOf(
            { id: key, operation: typeOf(key), isOfAny: isOfAnyPayment(key) },
            theirs[key]!,
            ours[key]!,
            twin[key]!,
          ),
    ),
  ];
}
