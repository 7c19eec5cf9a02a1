import type { Vocabulary } from "../core/domain/name-check.js";
import { UserError } from "../core/schema/user-error.js";
import { readVocabulary } from "../options.js";
import { startOptions } from "./options.js";

/**
 * The names of the service as flags, variables and config file define it. If those are invalid, the names of the shipped
 * service; the error is reported where they are used.
 */
export async function vocabularyOf(flags: Readonly<Record<string, unknown>>): Promise<Vocabulary> {
  try {
    return await readVocabulary(await startOptions(flags));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return readVocabulary({});
  }
}
