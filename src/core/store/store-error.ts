import { errorText } from "../schema/error-text.js";

/** Its message names the file, the reason and the fix in one line, and is printed without a stack trace. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** The content to write is longer than a string can be, so it could not be read back. */
export class TooLongError extends StoreError {}

/** No file handles are left for another namespace. */
export class OutOfHandlesError extends StoreError {}

/**
 * @param where path of the damaged file; for a journal, also the line number
 * @param goodBytes length of the usable beginning of the journal
 */
export function damagedFileError(file: string, where: string, what: string, goodBytes = 0): StoreError {
  const or =
    goodBytes === 0 ? "" : `, or cut ${file}.journal to its first ${goodBytes} bytes to go on from there`;
  return new StoreError(
    `${where}: ${what}. Restore ${file} and ${file}.journal from a backup, or move both files away to start empty${or}.`,
  );
}

/** Code of a failed system call ("ENOENT"); undefined for other errors. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Returns undefined if the file that the call reads does not exist. */
export function readIfExists<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const ALLOW_ACCESS = "Let this user read and write there, or use another path.";

const FIXES: ReadonlyMap<string | undefined, string> = new Map([
  ["EACCES", ALLOW_ACCESS],
  ["EPERM", ALLOW_ACCESS],
  ["EROFS", ALLOW_ACCESS],
  ["ENOSPC", "Free some space there."],
]);

export function asStoreError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = errorText(error);
  const fix = FIXES.get(systemErrorCode(error));
  return new StoreError(`${doing}: ${reason}${fix === undefined ? "" : `. ${fix}`}`, { cause: error });
}
