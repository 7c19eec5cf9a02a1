/**
 * The store cannot go on, and the message says in one line which file, why, and what to do about it.
 * Fit to be shown as it is; a stack trace would add nothing.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** What was to be written could not be read back: it is longer than a string can be. */
export class TooLongError extends StoreError {}

/** There are no file handles for another namespace. */
export class OutOfHandles extends StoreError {}

/**
 * Something in a file is not what this store writes: `where` is the file, with the line where there is one.
 *
 * @param goodBytes how much of the journal before it can be used, where that is all that is left to do
 */
export function damaged(file: string, where: string, what: string, goodBytes = 0): StoreError {
  const or =
    goodBytes === 0 ? "" : `, or cut ${file}.journal to its first ${goodBytes} bytes to go on from there`;
  return new StoreError(
    `${where}: ${what}. Restore ${file} and ${file}.journal from a backup, or move both files away to start empty${or}.`,
  );
}

/** The code of a failed system call ("ENOENT"), or undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Any failure as a StoreError; one that is already stays as it is. */
export function asStoreError(error: unknown, doing: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(`${doing}: ${reason}`, { cause: error });
}
