import { spawnSync } from "node:child_process";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./built.js";

const LIBRARIES = /[\\/]node_modules[\\/](typescript|@types[\\/]node|undici-types)[\\/]/;
/** Declarations of TypeScript and Node, which take longest to read. */
const read = new Map<string, ts.SourceFile | undefined>();

/** Returns the output of `tsc` for a project. */
export function typeComplaints(folder: string, given: string | readonly string[]): string {
  const { options, fileNames, errors } =
    typeof given === "string"
      ? ts.getParsedCommandLineOfConfigFile(
          join(folder, given),
          {},
          { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
        )!
      : ts.parseCommandLine(given);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getCurrentDirectory = () => folder;
  host.getSourceFile = (name, version, ...rest) => {
    if (!LIBRARIES.test(name)) return getSourceFile(name, version, ...rest);
    const key = `${name} ${typeof version === "object" ? version.impliedNodeFormat : ""} ${options.target}`;
    if (!read.has(key)) read.set(key, getSourceFile(name, version, ...rest));
    return read.get(key);
  };
  const rootNames = fileNames.map((name) => join(folder, name.replace(`${folder}/`, "")));
  const program = ts.createProgram({ rootNames, options: { ...options, noEmit: true }, host });
  return ts.formatDiagnostics([...errors, ...ts.getPreEmitDiagnostics(program)], host);
}

/** Returns the output of the newest `tsc`, which is five times faster. */
export function newestTypeComplaints(folder: string, args: readonly string[]): string {
  const tsc = join(ROOT, "node_modules/typescript-7/bin/tsc");
  const line = [tsc, "--noEmit", "--singleThreaded", "--pretty", "false", ...args];
  const { stdout, stderr } = spawnSync(process.execPath, line, { cwd: folder, encoding: "utf8" });
  return stdout + stderr;
}

function fail({ messageText }: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
}
