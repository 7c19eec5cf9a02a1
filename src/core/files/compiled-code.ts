import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Module } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** Undocumented method of Node's `Module`. */
interface CompilesModules {
  _compile(this: NodeJS.Module, code: string, filename: string): unknown;
}

/**
 * Compile cache for Node before 22.1: stores V8's compiled code of the files in dist/chunks/, whose names contain a
 * hash of their content. The cache is in the package's folder: only users who can change the code can change it.
 *
 * @returns a function that writes the new entries; entries added later are written when the process exits
 */
export function cacheCompiledCode(): () => void {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return () => {};
  const chunks = join(__dirname, "chunks");
  const cache = join(__dirname, "compiled", `${process.version}-${process.platform}-${process.arch}`);
  const fresh = new Map<string, Script>();
  const prototype = Module.prototype as unknown as CompilesModules;
  const compile = prototype._compile;
  prototype._compile = function (code, filename) {
    if (dirname(filename) !== chunks) return compile.call(this, code, filename);
    const file = join(cache, basename(filename));
    const cachedData = readIfThere(file);
    const script = new Script(`(function(exports,require,module,__filename,__dirname){${code}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true) fresh.set(file, script);
    const require = (id: string): unknown => this.require(id);
    return script.runInThisContext().call(this.exports, this.exports, require, this, filename, chunks);
  };
  const save = (): void => {
    try {
      if (fresh.size > 0) mkdirSync(cache, { recursive: true });
      for (const [file, script] of fresh) writeAtomically(file, script.createCachedData());
    } catch {
      // A read-only package starts without a cache.
    }
    fresh.clear();
  };
  process.on("exit", save);
  return save;
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Writes atomically: V8 does not detect a truncated file. */
function writeAtomically(file: string, bytes: Buffer): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    const handle = openSync(unfinished, "w");
    try {
      writeFileSync(handle, bytes);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
