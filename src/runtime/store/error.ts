/**
 * The store cannot go on, and the message says in one line which file, why, and what to do about it.
 * Fit to be shown as it is; a stack trace would add nothing.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** There are no file handles for another namespace. */
export class OutOfHandles extends StoreError {}

/** Something in a file is not what this store writes: `where` is the file, with the line where there is one. */
export function damaged(file: string, where: string, what: string): StoreError {
  return new StoreError(
    `${where}: ${what}. Restore ${file} and ${file}.journal from a backup, or move both files away to start empty.`,
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
