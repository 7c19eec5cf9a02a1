import { errorText } from "./error-text.js";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "there is a file in place of a folder",
  EISDIR: "it is a folder",
  EEXIST: "there is a file in place of a folder",
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/** Why a system call failed, in words; for a rare reason, the system's own. */
export function systemErrorText(error: unknown): string {
  const { code = "" } = (error ?? {}) as NodeJS.ErrnoException;
  return REASONS[code] ?? errorText(error);
}
