import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, StoreError } from "./error.js";

/** More than any system follows. */
const MAX_LINKS = 64;

/** Resolves all links of a path, which need not exist: a file has one journal, one lock and one set of namespaces. */
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
    // The caller reports a missing folder when it opens the file.
    return folder;
  }
}

/** Target of a link; undefined for anything else. */
function linkAt(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR" || code === "UNKNOWN") return undefined;
    throw error;
  }
}
