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

/** What Node has of it, and does not tell. */
interface CompilesModules {
  _compile(this: NodeJS.Module, code: string, filename: string): unknown;
}

/**
 * What Node keeps from version 22.1 on, for older ones: the compiled code of dist/chunks/, whose names say their
 * content. It stands beside the code itself, so that nobody can write one who may not write the other.
 *
 * @returns writes what was not there yet; what is loaded later is written at the end
 */
export function keepCompiledCode(): () => void {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return () => {};
  const chunks = join(__dirname, "chunks");
  const kept = join(__dirname, "compiled", `${process.version}-${process.platform}-${process.arch}`);
  const fresh = new Map<string, Script>();
  const prototype = Module.prototype as unknown as CompilesModules;
  const compile = prototype._compile;
  prototype._compile = function (code, filename) {
    if (dirname(filename) !== chunks) return compile.call(this, code, filename);
    const file = join(kept, basename(filename));
    const cachedData = read(file);
    const script = new Script(`(function(exports,require,module,__filename,__dirname){${code}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true) fresh.set(file, script);
    const require = (id: string): unknown => this.require(id);
    return script.runInThisContext().call(this.exports, this.exports, require, this, filename, chunks);
  };
  const keep = (): void => {
    try {
      if (fresh.size > 0) mkdirSync(kept, { recursive: true });
      for (const [file, script] of fresh) write(file, script.createCachedData());
    } catch {
      // A package that may not be written to starts as before.
    }
    fresh.clear();
  };
  process.on("exit", keep);
  return keep;
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole, or not at all: V8 does not look whether all of it is what was written. */
function write(file: string, bytes: Buffer): void {
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
