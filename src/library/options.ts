// Start options and the files they name → fixtures, scenarios, warnings. Called when a sandbox opens and by
// `validate`. One error reports all faults; nothing is opened or started here.
import { existsSync } from "node:fs";
import type { AttemptWrapper } from "../core/delivery/sender.js";
import { findUnknownNames, type Vocabulary, vocabularyOf } from "../core/domain/name-check.js";
import { repeatableRunId } from "../core/domain/repeatable-run-id.js";
import type { DocumentError, DocumentFault, LoadedDocument } from "../core/files/documents.js";
import type { OnActivity } from "../core/schema/activity-events.js";
import type { Fixtures } from "../core/schema/fixtures-file.js";
import { getOwn } from "../core/schema/json-objects.js";
import { didYouMean } from "../core/schema/nearest.js";
import { FIXED_SEED } from "../core/schema/option-schemas.js";
import { type StartOptions, startOptionsSchema } from "../core/schema/option-table.js";
import type { NamespaceSetup } from "../core/schema/scenario-file.js";
import type { Scenario } from "../core/schema/scenario-rules.js";
import { UserError } from "../core/schema/user-error.js";
import { pathFaults, serviceRoutes } from "../server/http/custom-paths.js";
import type { LoadedScenario } from "../tools/scenario/files.js";
import { loadShippedContent } from "../tools/scenario/shipped.js";

/** Checked options of `start`, and those that only code can set. */
export interface UnresolvedOptions extends StartOptions {
  /** Uses a random seed instead of the fixed one, if neither the options nor stored data have a seed. */
  readonly useRandomSeed?: boolean;
  /** Rate limit if neither the options nor a scenario file set one. */
  readonly defaultRateLimit?: StartOptions["rate_limit"];
  /** Lets the sandbox load code late and override global objects; default false, as tests may share the process. */
  readonly ownsProcess?: boolean;
  /** Receives internal errors; default: printed on standard error. */
  readonly onError?: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
  readonly onActivity?: OnActivity | undefined;
  readonly aroundAttempt?: AttemptWrapper | undefined;
  /** Fixtures merged over those of the options. */
  readonly furtherFixtures?: LoadedDocument | undefined;
  readonly fixturesValue?: unknown;
  /** Receives probable mistakes in scenario files, one line each. */
  readonly onWarning?: (warning: string) => void;
  /** Describes a fault with its position in the config file; undefined for an option from elsewhere. */
  readonly describeConfigFault?: ((fault: OptionFault) => string | undefined) | undefined;
}

export interface ResolvedServiceOptions {
  readonly fixtures: Fixtures;
  readonly scenarios: readonly Scenario[];
  /** Names of the scenarios from the user's files. */
  readonly fileScenarios: readonly string[];
  /** Names of the scenarios active at the start. */
  readonly active: readonly string[];
  /** Settings from scenario files that the options do not override. */
  readonly scenarioSettings: Omit<NamespaceSetup, "fixtures">;
  /** Probable mistakes in scenario files, and parts of these files that are ignored; one line each. */
  readonly warnings: readonly string[];
}

/** A fault of an option that the option's schema cannot find. */
export interface OptionFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export class OptionsError extends UserError {
  constructor(
    readonly faults: readonly OptionFault[],
    readonly files: readonly OptionFileError[],
    describeConfigFault: UnresolvedOptions["describeConfigFault"] = () => undefined,
  ) {
    const texts = faults.map((fault) => describeConfigFault(fault) ?? optionText(fault));
    super([...texts, ...files.map(fileText)].join("\n"));
  }
}

export interface OptionFileError {
  /** Path of the option, such as `["scenario", 0]`. */
  readonly path: readonly (string | number)[];
  readonly error: DocumentError;
}

/** Faults of an option's value have the option's name instead of a file's. */
function fileText({ path, error }: OptionFileError): string {
  const isValue = error.faults.every(({ file }) => file === "");
  if (!isValue) return error.message;
  return error.faults.map(({ field, message }) => `${[...path, field].join(".")}: ${message}`).join("\n");
}

/** A message about a scenario already contains the scenario's name. */
function optionText({ path, message }: OptionFault): string {
  return path[0] === "scenario" ? message : `${path.join(".")}: ${message}`;
}

/** Reads the files that the options name; throws an OptionsError with all faults of options and files. */
export async function resolveServiceOptions(
  options: StartOptions &
    Pick<UnresolvedOptions, "furtherFixtures" | "fixturesValue" | "describeConfigFault">,
): Promise<ResolvedServiceOptions> {
  const shipped = await loadShippedContent();
  const faults: OptionFault[] = [...pathFaults(options.paths ?? {}), ...certificateFaults(options)];
  const files: OptionFileError[] = [];
  const from = async <T>(path: OptionFault["path"], read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      const { DocumentError } = await import("../core/files/documents.js");
      if (!(error instanceof DocumentError)) throw error;
      files.push({ path, error });
      return undefined;
    }
  };
  let base: Fixtures | undefined = shipped.fixtures;
  for (const source of [await fixturesSource(options), options.furtherFixtures]) {
    const under: Fixtures | undefined = base;
    if (under !== undefined && source !== undefined)
      base = await from(["fixtures"], () => mergedFixtures(under, source));
  }
  // Fees and rates are checked against the methods and currencies of valid fixtures.
  if (base !== undefined) faults.push(...priceFaults(base, options));
  const vocabulary = vocabularyFor(options, base);
  faults.push(...findUnknownNames(startOptionsSchema, options, { vocabulary }));

  const scenarios = new Map(shipped.scenarios.map((scenario) => [scenario.name, scenario]));
  const active: string[] = [];
  const read: LoadedScenario[] = [];
  for (const [index, name] of (options.scenario ?? []).entries()) {
    const path = ["scenario", index];
    if (scenarios.has(name)) active.push(name);
    else if (!/[./\\]/.test(name) && !existsSync(name))
      faults.push({ path, message: unknownScenario(name, [...scenarios.keys()]) });
    else {
      const loaded = await from(path, () => readScenario(name, options.seed ?? FIXED_SEED, vocabulary));
      if (loaded === undefined) continue;
      const { scenario, fixtures } = loaded;
      read.push(loaded);
      scenarios.set(scenario.name, scenario);
      active.push(scenario.name);
      const under = base;
      if (under === undefined || fixtures === undefined) continue;
      base = (await from(path, () => mergedFixtures(under, fixtures))) ?? under;
    }
  }
  if (base === undefined || faults.length + files.length > 0)
    throw new OptionsError(faults, files, options.describeConfigFault);
  return {
    fixtures: repriced(base, options),
    scenarios: [...scenarios.values()],
    fileScenarios: read.map(({ scenario }) => scenario.name),
    active,
    ...(await settingsAndWarnings(read, options)),
  };
}

/** Returns the names that exist in a sandbox with these options; reads no file but the fixtures. */
export async function readVocabulary(options: StartOptions): Promise<Vocabulary> {
  const { fixtures } = await loadShippedContent();
  const { fixtures: file } = options;
  return vocabularyFor(options, file === undefined ? fixtures : await mergedFixtures(fixtures, file));
}

function vocabularyFor(
  { event_names, paths = {} }: StartOptions,
  fixtures: Fixtures | undefined,
): Vocabulary {
  return vocabularyOf({ fixtures, eventNames: event_names, routes: serviceRoutes(paths) });
}

/** Finds faults that the schema check of a config file cannot find; each fault has its position. */
export async function configFaults(document: LoadedDocument): Promise<DocumentFault[]> {
  try {
    await resolveServiceOptions(document.value as StartOptions);
    return [];
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    const { sortAndDedupeFaults: distinctSortedFaults } = await import("../core/files/documents.js");
    const faults = [
      ...error.faults.map(({ path, message }) => document.faultAt(path, message)),
      ...error.files.flatMap(({ path, error: { faults } }) =>
        faults.map((fault) =>
          // A missing or unreadable file is reported at the option that names it.
          fault.whole_file ? document.faultAt(path, `${fault.file}: ${fault.message}`) : fault,
        ),
      ),
    ];
    const isOwn = ({ file }: DocumentFault): boolean => file === document.file;
    return [...distinctSortedFaults(faults.filter(isOwn)), ...faults.filter((fault) => !isOwn(fault))];
  }
}

function unknownScenario(name: string, known: readonly string[]): string {
  return `there is no scenario "${name}"${didYouMean(name, known, ".")} Known: ${[...known].sort().join(", ")}`;
}

/** Loads the code that merges fixtures only if the user has fixtures. */
async function mergedFixtures(base: Fixtures, source: string | LoadedDocument): Promise<Fixtures> {
  const { mergeFixtures, readMergedFixtures } = await import("../core/files/merge-fixtures.js");
  return typeof source === "string" ? readMergedFixtures(base, source) : mergeFixtures(base, source);
}

async function fixturesSource({ fixtures: file, fixturesValue: value }: UnresolvedOptions) {
  if (file !== undefined || value === undefined) return file;
  const { documentFromValue: valueDocument } = await import("../core/files/documents.js");
  return valueDocument(value);
}

async function readScenario(file: string, seed: string, vocabulary: Vocabulary): Promise<LoadedScenario> {
  const { readScenarioFile } = await import("../tools/scenario/files.js");
  return readScenarioFile(file, {
    environment: process.env,
    runIdOf: (name) => repeatableRunId(seed, name),
    vocabulary,
  });
}

async function settingsAndWarnings(
  files: readonly LoadedScenario[],
  options: StartOptions,
): Promise<Pick<ResolvedServiceOptions, "scenarioSettings" | "warnings">> {
  if (files.length === 0) return { scenarioSettings: {}, warnings: [] };
  const { warningText } = await import("../core/files/documents.js");
  const { mergeInitialStates } = await import("../tools/scenario/initial-state.js");
  const { given: scenarioSettings, ignored } = mergeInitialStates(files, options);
  const warnings = files.flatMap(({ file, warnings, steps, replay }) => [
    ...warnings.map(warningText),
    ...ignored.filter((fault) => fault.file === file).map(warningText),
    ...(steps.length === 0 ? [] : [`${file} has steps, which only \`run\` runs; here only its rules apply`]),
    ...(replay === undefined ? [] : [`${file} names a flow, which only \`run\` runs`]),
  ]);
  return { scenarioSettings, warnings };
}

function certificateFaults({ tls_cert, tls_key }: StartOptions): OptionFault[] {
  if ((tls_cert === undefined) === (tls_key === undefined)) return [];
  return tls_key === undefined
    ? [{ path: ["tls_cert"], message: "a certificate needs its key: give --tls-key, or tls_key, too" }]
    : [{ path: ["tls_key"], message: "a key needs its certificate: give --tls-cert, or tls_cert, too" }];
}

/** Finds fees of unknown payment methods and rates of unknown currencies. */
function priceFaults(
  { methods, currencies }: Fixtures,
  { fees = {}, rates = {} }: StartOptions,
): OptionFault[] {
  const unknown = (option: string, what: string, names: readonly string[], known: readonly string[]) =>
    names
      .filter((name) => !known.includes(name))
      .map((name): OptionFault => {
        const hint = didYouMean(name, known, `; known: ${known.join(", ")}`);
        return { path: [option, name], message: `there is no such ${what}${hint}` };
      });
  const ids = methods.map(({ id }) => id);
  const codes = currencies.map(({ code }) => code);
  return [
    ...unknown("fees", "payment method", Object.keys(fees), ids),
    ...unknown("rates", "currency", Object.keys(rates), codes),
  ];
}

function repriced(fixtures: Fixtures, { fees = {}, rates = {} }: StartOptions): Fixtures {
  return {
    ...fixtures,
    methods: fixtures.methods.map((method) => ({
      ...method,
      fees: { ...method.fees, ...withoutGaps(getOwn(fees, method.id)) },
    })),
    currencies: fixtures.currencies.map((currency) => ({
      ...currency,
      rate: getOwn(rates, currency.code) ?? currency.rate,
    })),
  };
}

/** Omits absent percentages, which would overwrite those of the fixture. */
function withoutGaps(
  fees: { platform_percent?: string | undefined; gateway_percent?: string | undefined } = {},
) {
  return Object.fromEntries(Object.entries(fees).filter(([, percent]) => percent !== undefined));
}
