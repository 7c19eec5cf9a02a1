import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import { didYouMean } from "../../../core/schema/nearest.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { BlindSpot, FlowCoverage } from "../deviable.js";
import type { RunFailure } from "../run-record.js";
import type { Ends } from "./ends.js";
import type { RunVariables } from "./facts.js";
import { appCheck, type Flow } from "./flow.js";
import { savedVariable, viewVariableName } from "./saved-variable.js";
import { generalPath, pathOf } from "./views.js";

type Path = readonly (string | number)[];

/** A response of the app that the flow checks, for example in `observe`, and the fields that the check names. */
interface View {
  readonly path: Path;
  /** Variable in which a plain run saves the response body. */
  readonly name: string;
  /** Fields of the body, each with its place in the file. */
  readonly fields: readonly { readonly field: string; readonly path: Path }[];
}

/** The value that a check of a plain run saves: the body of its response. Undefined for a check that sees no body. */
export function savedBody(step: RawStep, number: number): Readonly<Record<string, string>> | undefined {
  return isReadOfApp(step) && step.save === undefined ? { [checkedName(number)]: "body" } : undefined;
}

/** Finds the fields that the flow checks. A field that the flow names but no plain run returns is a blind spot. */
export function findFlowCoverage(
  flow: Flow,
  runs: readonly RunVariables[],
  {
    free,
    uncompared,
    mayCompareMore,
    listed,
  }: Pick<Ends, "free" | "uncompared" | "mayCompareMore" | "listed">,
  hasAllEnds: boolean,
): FlowCoverage {
  const views = viewsOf(flow);
  const fields = new Set<string>();
  const isFree = ({ path: [part, view] }: View, field: string) =>
    part === "observe" &&
    uncompared.some(
      (one) => one.view === view && `${generalPath(field)}.`.startsWith(`${generalPath(one.field)}.`),
    );
  const notCompared = free.map(({ view, field, reason }) => {
    const { app, run } = flow.observe[view]!;
    const body = savedVariable(runs[0]!, viewVariableName(view));
    return { field: fieldName(body, pathOf(field), [], `body of ${app ?? run}`), reason };
  });
  const spots: BlindSpot[] = [];
  let hasText = false;
  for (const view of views) {
    const bodies = runs.map((run) => savedVariable(run, view.name));
    const isText = (body: unknown) => body !== undefined && typeof body !== "object";
    hasText ||= bodies.some(isText) && !isFree(view, "");
    const isObserved = view.path[0] === "observe";
    // The entries of a map, and the words of a text, are named as those of a list.
    const lists = isObserved ? bodies.map((body) => listed(body, Number(view.path[1]))) : [];
    const known = [...bodies, ...lists].flatMap((body) => fieldsOf(body));
    for (const field of isObserved ? leavesOf(runs, view, listed) : view.fields.map((one) => one.field))
      if (!isFree(view, field)) fields.add(field);
    spots.push(...absentFields(view.fields, known));
  }
  if (
    fields.size === 0 &&
    !hasText &&
    (hasAllEnds || !mayCompareMore) &&
    spots.length === 0 &&
    !flow.checks.some(({ oracle }) => oracle === "reconcile")
  )
    spots.push({
      path: ["steps"],
      message: free.length === 0 ? LOOKS_AT_NOTHING : nothingComparedText(notCompared),
    });
  return { fields: [...fields].sort(), notCompared, spots };
}

/**
 * Names a field by its path, or within a text by its line and word.
 *
 * @param first path of the body in the report
 * @param whole name of the body itself
 */
export function fieldName(
  body: unknown,
  path: readonly string[],
  first: readonly string[],
  whole: string,
): string {
  const partAt = (depth: number) => path.slice(0, depth).reduce((part, key) => Object(part)[key], body);
  const depth = path.findIndex((_, index) => typeof partAt(index) === "string");
  const owner = path.slice(0, depth === -1 ? undefined : depth);
  const name = owner.length === 0 ? whole : [...first, ...owner].join(".");
  const [line, word] = path.slice(owner.length).map((index) => Number(index) + 1);
  return line === undefined ? name : `word ${word} of line ${line} of ${name}`;
}

const LOOKS_AT_NOTHING =
  "the flow looks at nothing of the app: add observe, or expect the body of a read of the app";

function nothingComparedText(fields: FlowCoverage["notCompared"]): string {
  const texts = fields.map(({ field, reason }) => `${field} ${reason}`);
  return `nothing that the flow looks at can be compared: ${texts.join(", ")}: add reset if it has what earlier runs left`;
}

/**
 * Finds the fields for which a step of the flow failed, if the response lacks them and is right in all else.
 *
 * @param includedCount number of steps that come from other files
 */
export function findAbsentFields(
  { raw }: Flow,
  includedCount: number,
  failure: RunFailure | undefined,
): BlindSpot[] {
  const { index, differences, body } = failure ?? {};
  if (index === undefined || !differences?.length || differences.some(({ got }) => got !== undefined))
    return [];
  const steps = raw.steps as readonly RawStep[];
  // Included steps come first.
  const position = index - includedCount;
  const { app, expect } = steps[position] ?? {};
  if (app === undefined || !isJsonObject(expect)) return [];
  const path = ["steps", position, "expect", "body"];
  return absentFields(fieldsExpected(expect.body, path), fieldsOf(body));
}

function absentFields(expected: View["fields"], known: readonly string[]): BlindSpot[] {
  return expected
    .filter(({ field }) => !known.includes(field))
    .map(({ field, path }) => ({
      path,
      message: `no response of the app to the plain runs has ${field}${didYouMean(field, known) || fieldsText(known)}`,
    }));
}

const MAX_NAMED = 12;

function fieldsText(known: readonly string[]): string {
  if (known.length === 0) return "";
  const more = known.length > MAX_NAMED ? ", …" : "";
  return `; it has ${[...new Set(known)].slice(0, MAX_NAMED).join(", ")}${more}`;
}

function viewsOf(flow: Flow): View[] {
  const steps = (flow.raw.steps ?? []) as RawStep[];
  return [
    ...flow.observe.map(({ ignore = [], price, currency }, index): View => {
      const path = ["observe", index];
      const named = Object.entries({ price, currency }).flatMap(([key, field]) =>
        field === undefined ? [] : [{ field, path: [...path, key] }],
      );
      const fields = ignore.map((field, at) => ({ field, path: [...path, "ignore", at] }));
      return { path, name: viewVariableName(index), fields: [...fields, ...named] };
    }),
    ...flow.checks.flatMap(({ step }, number): View[] => {
      if (!isReadOfApp(step)) return [];
      const path = ["steps", steps.indexOf(step), "expect", "body"];
      return [
        { path, name: checkedName(number), fields: fieldsExpected((step.expect as RawStep).body, path) },
      ];
    }),
    ...flow.never.map(({ body }, index): View => {
      const path = ["never", index, "body"];
      return { path, name: checkedName(flow.checks.length + index), fields: fieldsExpected(body, path) };
    }),
  ];
}

function checkedName(number: number): string {
  return `checked_${number + 1}`;
}

function isReadOfApp(step: RawStep): boolean {
  return appCheck(step) !== undefined && (step.expect as RawStep).body !== undefined;
}

/** The fields that an expectation names, without those that must be absent. */
function fieldsExpected(expected: unknown, path: Path, field: Path = []): { field: string; path: Path }[] {
  if (isMatcher(expected)) {
    if ("not" in expected) return fieldsExpected(expected.not, [...path, "not"], field);
    if (expected.exists === false) return [];
  } else if (isJsonObject(expected))
    return Object.entries(expected).flatMap(([key, part]) =>
      fieldsExpected(part, [...path, key], [...field, key.replace(/^\\/, "")]),
    );
  else if (Array.isArray(expected))
    return expected.flatMap((part, index) => fieldsExpected(part, [...path, index], [...field, index]));
  return field.length === 0 ? [] : [{ field: field.join("."), path }];
}

/** The dotted paths of all fields of a body. */
function fieldsOf(body: unknown, path: Path = []): string[] {
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([key, part]) => [
    [...path, key].join("."),
    ...fieldsOf(part, [...path, key]),
  ]);
}

function leavesOf(
  runs: readonly RunVariables[],
  { name, fields, path: [, view] }: View,
  listed: Ends["listed"],
): string[] {
  const ignored = fields.flatMap(({ field, path }) => (path.includes("ignore") ? [field] : []));
  const shown = runs.map((run) => savedVariable(run, name));
  const found = shown.flatMap((body) =>
    fieldsOf(typeof body === "string" ? body : listed(body, Number(view))),
  );
  return found.filter(
    (field) => !ignored.includes(field) && !found.some((other) => other.startsWith(`${field}.`)),
  );
}
