import type { Vocabulary } from "../core/domain/known-names.js";
import { UserError } from "../core/schema/user-error.js";
import { readVocabulary } from "../options.js";
import { startOptions } from "./options.js";

/**
 * The names there are in the service as flags, variables and the config file have it. Where those are at fault, which
 * is told when they are used, the names are those of the service as it is shipped.
 */
export async function vocabularyOf(flags: Readonly<Record<string, unknown>>): Promise<Vocabulary> {
  try {
    return await readVocabulary(await startOptions(flags));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return readVocabulary({});
  }
}
