import { existsSync } from "node:fs";
import { unknownNames, type Vocabulary, vocabularyOf } from "./core/domain/known-names.js";
import { repeatableRunId } from "./core/domain/run-id.js";
import type { DocumentError, Fault, LoadedDocument } from "./core/files/documents.js";
import type { Fixtures } from "./core/schema/fixtures.js";
import type { OnHappening } from "./core/schema/happening.js";
import { didYouMean } from "./core/schema/nearest.js";
import { type StartOptions, startOptionsSchema } from "./core/schema/option-table.js";
import { FIXED_SEED } from "./core/schema/options.js";
import { own } from "./core/schema/own.js";
import type { Scenario } from "./core/schema/scenario.js";
import type { Given } from "./core/schema/scenario-file.js";
import { UserError } from "./core/schema/user-error.js";
import { pathFaults, serviceRoutes } from "./server/http/paths.js";
import type { LoadedScenario } from "./tools/scenario/files.js";
import { loadShipped } from "./tools/scenario/shipped.js";

/** What a sandbox is started with: the options of `start`, checked. */
export interface OpenOptions extends StartOptions {
  /** Where no seed is given and there is no data: a fixed one, so that runs repeat, or one made up. */
  readonly makeUpSeed?: boolean;
  /** The rate limit where neither the options nor a scenario file name one; default: none. */
  readonly usualRateLimit?: StartOptions["rate_limit"];
  /** Whether this process is ours (the command), or somebody's test run (the library). */
  readonly ownsProcess?: boolean;
  /** Hears of faults of ours; default: standard error does. */
  readonly onError?: (error: unknown) => void;
  readonly onNotice?: (notice: string) => void;
  /** Hears of what happens in any namespace. */
  readonly onHappening?: OnHappening | undefined;
  /** Fixtures over those of the options. */
  readonly furtherFixtures?: LoadedDocument | undefined;
  /** In the place of a fixtures file: what one would hold. */
  readonly fixturesValue?: unknown;
  /** Hears of what is allowed in the files of scenarios and cannot be meant, a line each. */
  readonly onWarning?: (warning: string) => void;
}

/** The service as the options and the files they name have it. */
export interface Service {
  readonly fixtures: Fixtures;
  readonly scenarios: readonly Scenario[];
  /** Names of those that are from files of the user's. */
  readonly fileScenarios: readonly string[];
  /** Names of the scenarios that are active from the start. */
  readonly active: readonly string[];
  /** What the files of scenarios want of the world, and may have. */
  readonly given: Omit<Given, "fixtures">;
  /** What is allowed in the files of scenarios and cannot be meant, and what of them is not heeded; a line each. */
  readonly warnings: readonly string[];
}

/** What is wrong with an option, which its own shape does not tell. */
export interface OptionFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Thrown with everything that is wrong with the options, and with the files they name. */
export class OptionsError extends UserError {
  constructor(
    readonly faults: readonly OptionFault[],
    readonly files: readonly FileError[],
  ) {
    super([...faults.map(optionText), ...files.map(({ error }) => error.message)].join("\n"));
  }
}

/** A file that an option names cannot be used. */
export interface FileError {
  /** Of the option. */
  readonly path: readonly (string | number)[];
  readonly error: DocumentError;
}

/** A scenario is named by what is wrong with it, wherever it was said. */
function optionText({ path, message }: OptionFault): string {
  return path[0] === "scenario" ? message : `${path.join(".")}: ${message}`;
}

/** Reads the files the options name, and finds all that is wrong with both before it throws an OptionsError. */
export async function readService(
  options: StartOptions & Pick<OpenOptions, "furtherFixtures" | "fixturesValue">,
): Promise<Service> {
  const shipped = await loadShipped();
  const faults: OptionFault[] = pathFaults(options.paths ?? {}).map(({ id, message }) => ({
    path: ["paths", id],
    message,
  }));
  faults.push(...certificateFaults(options));
  const files: FileError[] = [];
  const from = async <T>(path: OptionFault["path"], read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      const { DocumentError } = await import("./core/files/documents.js");
      if (!(error instanceof DocumentError)) throw error;
      files.push({ path, error });
      return undefined;
    }
  };
  const { fixtures: file, fixturesValue: value, furtherFixtures: further } = options;
  const own =
    file !== undefined
      ? await from(["fixtures"], () => mergedFixtures(shipped.fixtures, file))
      : value !== undefined
        ? await from(["fixtures"], () => fixturesWith(shipped.fixtures, value))
        : shipped.fixtures;
  let base =
    further === undefined || own === undefined
      ? own
      : await from(["fixtures"], () => mergedFixtures(own, further));
  // Without fixtures nobody knows which methods and currencies there are.
  if (base !== undefined) faults.push(...priceFaults(base, options));
  const vocabulary = vocabularyFor(options, base);
  faults.push(...unknownNames(startOptionsSchema, options, { vocabulary }));

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
  if (base === undefined || faults.length + files.length > 0) throw new OptionsError(faults, files);
  return {
    fixtures: repriced(base, options),
    scenarios: [...scenarios.values()],
    fileScenarios: read.map(({ scenario }) => scenario.name),
    active,
    ...(await worldAndWarnings(read, options)),
  };
}

/** The names there are in a sandbox that is started so; its fixtures are read for them, and nothing else. */
export async function readVocabulary(options: StartOptions): Promise<Vocabulary> {
  const { fixtures } = await loadShipped();
  const { fixtures: file } = options;
  return vocabularyFor(options, file === undefined ? fixtures : await mergedFixtures(fixtures, file));
}

function vocabularyFor(
  { event_names, paths = {} }: StartOptions,
  fixtures: Fixtures | undefined,
): Vocabulary {
  return vocabularyOf({ fixtures, eventNames: event_names, routes: serviceRoutes(paths) });
}

/** Everything wrong with a config file whose options have the right shape, each at its place. */
export async function configFaults(document: LoadedDocument): Promise<Fault[]> {
  try {
    await readService(document.value as StartOptions);
    return [];
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    const { inOrder } = await import("./core/files/documents.js");
    const faults = [
      ...error.faults.map(({ path, message }) => document.faultAt(path, message)),
      ...error.files.flatMap(({ path, error: { faults } }) =>
        faults.map((fault) =>
          // Of a file that is not there or cannot be read, the config says where it should be.
          isOfWholeFile(fault) ? document.faultAt(path, `${fault.file}: ${fault.message}`) : fault,
        ),
      ),
    ];
    const isOwn = ({ file }: Fault): boolean => file === document.file;
    return [...inOrder(faults.filter(isOwn)), ...faults.filter((fault) => !isOwn(fault))];
  }
}

function isOfWholeFile({ line, column, field }: Fault): boolean {
  return line === 1 && column === 1 && field === "";
}

function unknownScenario(name: string, known: readonly string[]): string {
  return `there is no scenario "${name}"${didYouMean(name, known, ".")} Known: ${[...known].sort().join(", ")}`;
}

/** Files that a person wrote are read and checked by modules that a start without them need not load. */
async function mergedFixtures(base: Fixtures, given: string | LoadedDocument): Promise<Fixtures> {
  const { mergeFixtures, readFixtures } = await import("./core/files/fixtures.js");
  return typeof given === "string" ? readFixtures(base, given) : mergeFixtures(base, given);
}

async function fixturesWith(base: Fixtures, value: unknown): Promise<Fixtures> {
  const { valueDocument } = await import("./core/files/documents.js");
  return mergedFixtures(base, valueDocument(value));
}

async function readScenario(file: string, seed: string, vocabulary: Vocabulary): Promise<LoadedScenario> {
  const { readScenarioFile } = await import("./tools/scenario/files.js");
  return readScenarioFile(file, {
    environment: process.env,
    runIdOf: (name) => repeatableRunId(seed, name),
    vocabulary,
  });
}

async function worldAndWarnings(
  files: readonly LoadedScenario[],
  options: StartOptions,
): Promise<Pick<Service, "given" | "warnings">> {
  if (files.length === 0) return { given: {}, warnings: [] };
  const { warningText } = await import("./core/files/documents.js");
  const { worldOf } = await import("./tools/scenario/world.js");
  const { given, ignored } = worldOf(files, options);
  const warnings = files.flatMap(({ file, warnings, steps }) => [
    ...warnings.map(warningText),
    ...ignored.filter((one) => one.file === file).map(warningText),
    ...(steps.length === 0
      ? []
      : [`${file} has steps: they are not played here, only its rules apply; \`run\` plays them`]),
  ]);
  return { given, warnings };
}

/** Neither is of use without the other. */
function certificateFaults({ tls_cert, tls_key }: StartOptions): OptionFault[] {
  if ((tls_cert === undefined) === (tls_key === undefined)) return [];
  return tls_key === undefined
    ? [{ path: ["tls_cert"], message: "a certificate needs its key: give --tls-key, or tls_key, too" }]
    : [{ path: ["tls_key"], message: "a key needs its certificate: give --tls-cert, or tls_cert, too" }];
}

/** Fees and rates of what there is not. */
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
  return [
    ...unknown(
      "fees",
      "payment method",
      Object.keys(fees),
      methods.map(({ id }) => id),
    ),
    ...unknown(
      "rates",
      "currency",
      Object.keys(rates),
      currencies.map(({ code }) => code),
    ),
  ];
}

/** The config file's fees and rates go before the fixtures'. */
function repriced(fixtures: Fixtures, { fees = {}, rates = {} }: StartOptions): Fixtures {
  return {
    ...fixtures,
    methods: fixtures.methods.map((method) => ({
      ...method,
      fees: { ...method.fees, ...withoutGaps(own(fees, method.id)) },
    })),
    currencies: fixtures.currencies.map((currency) => ({
      ...currency,
      rate: own(rates, currency.code) ?? currency.rate,
    })),
  };
}

/** Only what was said: an absent percentage must not wipe out the fixture's. */
function withoutGaps(
  fees: { platform_percent?: string | undefined; gateway_percent?: string | undefined } = {},
) {
  return Object.fromEntries(Object.entries(fees).filter(([, percent]) => percent !== undefined));
}
