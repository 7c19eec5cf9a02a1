import type { Vocabulary } from "../core/domain/name-check.js";
import { normalizeWebhookUrl } from "../core/schema/option-schemas.js";
import { VARIABLE_NAME_PATTERN } from "../core/schema/scenario-file.js";
import { trimTrailingSlashes } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import { readVocabulary } from "../library/options.js";
import { readStartOptions } from "./options.js";

/** Parses repeated `--var name=value`; the last value of a name counts. */
export function parseVariables(given: readonly string[] = []): Record<string, string> {
  const vars: Record<string, string> = {};
  for (const one of given) {
    const equals = one.indexOf("=");
    const name = one.slice(0, Math.max(0, equals));
    if (!VARIABLE_NAME_PATTERN.test(name))
      throw new UserError(`--var takes name=value, not ${JSON.stringify(one)}`);
    vars[name] = one.slice(equals + 1);
  }
  return vars;
}

/** Parses `--app`; a missing scheme means http. */
export function parseAppUrl(app: string): string {
  const url = normalizeWebhookUrl(app);
  if (url === undefined) throw invalidUrlError("--app", app);
  return trimTrailingSlashes(url);
}

export function invalidUrlError(flag: string, given: string): UserError {
  return new UserError(`${flag} must be an http or https URL, not ${JSON.stringify(given)}`);
}

/** Names that exist in a sandbox started with some flags. */
interface FlagVocabulary {
  /** The names of the shipped service if a flag is invalid. */
  readonly vocabulary: Vocabulary;
  readonly error?: UserError;
}

export async function readFlagVocabulary(
  flags: Readonly<Record<string, unknown>>,
  environment?: NodeJS.ProcessEnv,
): Promise<FlagVocabulary> {
  try {
    return { vocabulary: await readVocabulary(await readStartOptions(flags, environment)) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { vocabulary: await readVocabulary({}), error };
  }
}

/** Like `readFlagVocabulary`, for a command that reports an invalid flag later. */
export async function vocabularyOfFlags(flags: Readonly<Record<string, unknown>>): Promise<Vocabulary> {
  return (await readFlagVocabulary(flags)).vocabulary;
}
