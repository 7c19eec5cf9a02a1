import {
  findUnknownNames,
  type NameCheckOptions,
  type UnknownName,
  unknownPathMessage,
} from "../../core/domain/name-check.js";
import { globMatchesRoute } from "../../core/domain/path-patterns.js";
import type { DocumentFault, LoadedDocument } from "../../core/files/documents.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { didYouMean } from "../../core/schema/nearest.js";
import {
  childSchema,
  findUnknownPathPart,
  listKnownKeys,
  schemaNodes,
} from "../../core/schema/schema-paths.js";
import { type IncludedFiles, resolveRelativePath } from "./includes.js";
import { fillStep, type LoadedStep, nestedStepLists, type RawStep, stepLocation } from "./loaded-steps.js";
import { impossibleStepWarnings } from "./scenario-warnings.js";
import { stepFaults, stepKindsOf, stepSchemaOf } from "./step-faults.js";
import { ONLY_ON_COMMAND_LINE } from "./steps/app.js";
import { REPEAT_MAX } from "./steps/nested-lists.js";
import { parseRoute } from "./steps/request.js";
import type { ContainerDefinition, StepDefinition } from "./steps/step-definition.js";
import { STEPS, type StepKind } from "./steps/step-kinds.js";
import {
  type Resolution,
  type Scope,
  type ValuePath,
  type VariableReference,
  variableNameOf,
} from "./variables.js";

export interface StepList {
  readonly document: LoadedDocument;
  readonly at: ValuePath;
  readonly list: readonly unknown[];
}

interface LoadContext {
  readonly scope: Scope;
  /** Variable → index of the first step that saves it. */
  readonly savedBy: ReadonlyMap<string, number>;
  readonly included: IncludedFiles;
  readonly names: NameCheckOptions;
}

/** Variables known only during the run: saved by a step, or the counter of a `repeat`. */
type RunVariables = Set<string>;

/** Maximum number of loaded steps. Steps of an included file count once per include. */
const MAX_STEPS_LOADED = 20_000;

/** Checks lists of steps, nested ones too, each with the variables known at that point. */
export class StepLoader {
  readonly faults: DocumentFault[] = [];
  readonly unknownNames: DocumentFault[] = [];
  readonly impossibleChecks: DocumentFault[] = [];
  readonly variables = new Set<string>();
  readonly #context: LoadContext;
  #count = 0;
  /** Count of the enclosing repeat. */
  #repeat: unknown;
  /** Event types that the file triggers itself. */
  readonly #ownTypes = new Set<unknown>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  /** Loads the lists of a file. A list in `after` can use variables from `lists`, but not from the rest of `after`. */
  load(lists: readonly StepList[], after: readonly StepList[] = []): LoadedStep[] {
    const known: RunVariables = new Set();
    const steps = lists.flatMap((list) => this.#list(list, known));
    for (const list of after) this.#list(list, new Set(known));
    return steps;
  }

  /** Loads the steps of a list. Adds the variables that the steps save to `known`. */
  #list({ document, at, list }: StepList, known: RunVariables): LoadedStep[] {
    return list.flatMap((step, index) => {
      if (!isJsonObject(step) || this.#isTooMany(document, [...at, index])) return [];
      const loaded = this.#step(document, [...at, index], step, known);
      for (const name of loaded === undefined ? savedVariableNames(step) : savedBy(loaded)) known.add(name);
      return loaded === undefined ? [] : [loaded];
    });
  }

  #isTooMany(document: LoadedDocument, at: ValuePath): boolean {
    const message = `is one step too many: a file has at most ${MAX_STEPS_LOADED}, with those it includes`;
    if (++this.#count === MAX_STEPS_LOADED + 1) this.faults.push(document.faultAt(at, message));
    return this.#count > MAX_STEPS_LOADED;
  }

  #step(document: LoadedDocument, at: ValuePath, step: RawStep, known: RunVariables): LoadedStep | undefined {
    const [kind] = stepKindsOf(step);
    const filled = fillStep(
      step,
      (reference) => this.#resolve(reference, known),
      ({ path, message }) => this.faults.push(document.faultAt([...at, ...path], message)),
    );
    this.faults.push(...stepFaults(document, at, filled));
    if (kind === undefined) return undefined;
    if (kind === "run" && document.file === "")
      this.faults.push(document.faultAt([...at, "run"], ONLY_ON_COMMAND_LINE));
    if (isJsonObject(step.trigger) && step.trigger.force === true) this.#ownTypes.add(step.trigger.type);
    for (const { path, message } of unknownNamesInStep(kind, filled, this.#context.names)) {
      const list = this.#isVoid(kind, filled, path) ? this.faults : this.unknownNames;
      list.push(document.faultAt([...at, ...path], message));
    }
    for (const { path, message } of impossibleStepWarnings(kind, filled))
      this.impossibleChecks.push(document.faultAt([...at, ...path], message));
    const outerRepeat = this.#repeat;
    if (kind === "repeat") {
      if (outerRepeat !== undefined)
        this.faults.push(document.faultAt([...at, "repeat"], nestedRepeat(outerRepeat, filled.repeat)));
      this.#repeat = filled.repeat;
    }
    const lists =
      kind === "include"
        ? [this.#include(document, at, filled, known)]
        : nestedStepLists(step).map((part) => {
            const inner: RunVariables = new Set(known);
            if (typeof step.as === "string") inner.add(step.as);
            return this.#list({ document, at: [...at, ...part.at], list: part.list }, inner);
          });
    this.#repeat = outerRepeat;
    return { kind, raw: step, location: stepLocation(document, at), lists };
  }

  /** Returns true if an unknown name makes an expectation useless, for example an event type that never occurs. */
  #isVoid(kind: StepKind, step: RawStep, path: ValuePath): boolean {
    if (!kind.startsWith("expect_")) return false;
    const isName = kind === "expect_sequence" || path.some((part) => VOID_FIELDS.includes(part));
    const value = path.reduce((inner: unknown, part) => (inner as RawStep | undefined)?.[part], step);
    return isName && !this.#ownTypes.has(value);
  }

  #include(document: LoadedDocument, at: ValuePath, { include }: RawStep, known: RunVariables): LoadedStep[] {
    const included = this.#context.included.get(resolveRelativePath(document.file, String(include)));
    const steps = isJsonObject(included?.value) ? included.value.steps : undefined;
    if (included !== undefined && Array.isArray(steps))
      return this.#list({ document: included, at: ["steps"], list: steps }, new Set(known));
    const message =
      document.file === ""
        ? "only a scenario that is a file can include another"
        : "has no steps: its rules and variables are taken by `include` at the top of the file";
    this.faults.push(document.faultAt([...at, "include"], message));
    return [];
  }

  #resolve(reference: VariableReference, known: RunVariables): Resolution {
    const root = variableNameOf(reference.name);
    this.variables.add(root);
    if (known.has(root)) return "open";
    const resolved = this.#context.scope.resolve(reference);
    if (typeof resolved === "string" || !("fault" in resolved)) return resolved;
    const saved = this.#context.savedBy.get(root);
    return saved === undefined
      ? resolved
      : { fault: `\${${reference.name}} is not known here: step ${saved + 1} saves it` };
  }
}

/** Fields of expectations whose values are names of the service. */
const VOID_FIELDS: ValuePath = ["type", "operation", "status"];

function nestedRepeat(outer: unknown, inner: unknown): string {
  const times = Number(outer) * Number(inner);
  const alternative = times <= REPEAT_MAX ? `write one with repeat: ${times}, or ` : "";
  return `cannot be inside another repeat: ${alternative}write the inner steps out`;
}

export function savedVariableNames(step: RawStep): string[] {
  return [
    ...(isJsonObject(step.save) ? Object.keys(step.save) : []),
    ...(isJsonObject(step.pay) && typeof step.pay.as === "string" ? [step.pay.as] : []),
    ...nestedStepLists(step).flatMap(({ list }) => list.filter(isJsonObject).flatMap(savedVariableNames)),
  ];
}

function savedBy({ raw, lists }: LoadedStep): string[] {
  return [...savedVariableNames(raw), ...lists.flat().flatMap(savedBy)];
}

type Definition = Pick<StepDefinition | ContainerDefinition, "result" | "expectationField">;

/** Finds unknown names in a step. With an unknown name, an expectation always passes or always fails. */
function unknownNamesInStep(kind: StepKind, step: RawStep, check: NameCheckOptions): UnknownName[] {
  return [
    ...findUnknownNames(stepSchemaOf(kind, step), step, check),
    ...(kind === "request" ? unknownRoute(step, check) : []),
    ...unknownExpectedFields(kind, step, check),
    ...unknownSavedFields(kind, step, check),
  ];
}

/** Prefix of the service's calls; other pages of the server are not in the vocabulary. */
const SERVICE_PREFIX = "/api/";

/** Finds a call to an unknown path. A step may call an unknown path to test the error response. */
function unknownRoute({ request, expect }: RawStep, { vocabulary }: NameCheckOptions): UnknownName[] {
  const routes = vocabulary("path");
  if (typeof request !== "string" || routes === undefined || expectsMissingRoute(expect)) return [];
  const { path } = parseRoute(request);
  if (!path.startsWith(SERVICE_PREFIX) || routes.some((route) => globMatchesRoute(path, route))) return [];
  return [{ path: ["request"], message: unknownPathMessage(path, routes) }];
}

function expectsMissingRoute(expect: unknown): boolean {
  const { status, error } = (expect ?? {}) as RawStep;
  return status === 404 || status === 405 || error !== undefined;
}

/** Finds expected fields, at any depth, that the result never has. */
function unknownExpectedFields(kind: StepKind, step: RawStep, check: NameCheckOptions): UnknownName[] {
  const { result, expectationField = "" }: Definition = STEPS[kind];
  const shape = result?.(step, check.vocabulary.routes);
  const expected = step[expectationField];
  if (shape === undefined || !isJsonObject(expected)) return [];
  return Object.entries(expected).flatMap(([field, value]) => {
    const parts = schemaNodes(shape).flatMap((place) => childSchema(place, field) ?? []);
    // `parts` is empty for a field of the step itself, such as `count`, because the result has no such field.
    return parts.flatMap((part) =>
      findUnknownNames(part, value, { ...check, rejectsUnknownFields: true }).map(({ path, message }) => ({
        path: [expectationField, field, ...path],
        message,
      })),
    );
  });
}

function unknownSavedFields(
  kind: StepKind,
  step: RawStep,
  { isUnresolved, vocabulary }: NameCheckOptions,
): UnknownName[] {
  const { result }: Definition = STEPS[kind];
  const shape = result?.(step, vocabulary.routes);
  if (shape === undefined) return [];
  return Object.entries((step.save ?? {}) as Record<string, unknown>).flatMap(([variable, path]) => {
    if (typeof path !== "string" || isUnresolved?.(path)) return [];
    const parts = path.split(".");
    const stray = findUnknownPathPart(shape, parts);
    if (stray === undefined) return [];
    const { part, known } = stray;
    const parent =
      part === parts[0] ? known.find((field) => listKnownKeys(shape, [field]).includes(part)) : undefined;
    const hint =
      parent === undefined
        ? didYouMean(part, known, `; there are: ${known.join(", ")}`)
        : `; did you mean ${parent}.${path}?`;
    return [{ path: ["save", variable], message: `there is no ${part} to save${hint}` }];
  });
}
