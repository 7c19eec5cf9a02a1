import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, StoreError } from "./error.js";

/** More than any system follows. */
const MAX_LINKS = 64;

/**
 * The file that a path leads to, which may be yet to be made: by whatever links one comes to it, it has one journal,
 * one lock, and the same namespaces beside it.
 */
export function realFile(path: string): string {
  let file = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    file = join(realFolder(dirname(file)), basename(file));
    const target = linkAt(file);
    if (target === undefined) return file;
    file = resolve(dirname(file), target);
  }
  throw new StoreError(
    `Cannot open ${path}: it is a link that leads to itself. Give the file it is meant to lead to.`,
  );
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Whoever opens the file says that there is no such folder.
    return folder;
  }
}

/** Where a link leads; undefined for what is none, or is not there. */
function linkAt(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR" || code === "UNKNOWN") return undefined;
    throw error;
  }
}
