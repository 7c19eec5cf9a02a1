import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildIfMissing, ROOT, userEnvironment } from "../../support/built.js";
import { temporaryFolder } from "../../support/folders.js";

const execute = promisify(execFile);

export const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly version: string;
  readonly files: readonly string[];
  readonly engines: Readonly<Record<"node", string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Conditions>>;
};
interface Conditions {
  readonly import?: unknown;
  readonly require?: unknown;
}

/** Names of the entry points. */
export const DOORS = Object.keys(MANIFEST.exports)
  .filter((path) => !path.endsWith(".json"))
  .map((path) => path.replace(/^\./, "payments-sandbox"));

/** Entry points that CommonJS can require. */
export const REQUIRED_DOORS = DOORS.filter((door) => {
  const conditions = MANIFEST.exports[door.replace("payments-sandbox", ".")];
  return typeof conditions === "object" && "require" in conditions;
});

export interface PackedFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

export interface Tarball {
  readonly file: string;
  /** Text of the packed `package.json`. */
  readonly manifest: string;
  readonly size: number;
  readonly files: readonly PackedFile[];
}

/** A user's environment without network access for npm. */
export function offlineEnvironment(): NodeJS.ProcessEnv {
  return { ...userEnvironment(), npm_config_cache: join(temporaryFolder(), "npm-cache") };
}

async function npm(folder: string, ...args: string[]) {
  const userconfig = join(temporaryFolder(), "none");
  return execute("npm", args, {
    cwd: folder,
    env: { ...offlineEnvironment(), npm_config_userconfig: userconfig, npm_config_update_notifier: "false" },
  });
}

/** Packs the build without building again, because other tests use its files. */
export async function pack(): Promise<Tarball> {
  buildIfMissing();
  const [source, folder] = [temporaryFolder(), temporaryFolder()];
  for (const name of ["package.json", ...MANIFEST.files.filter((name) => !name.startsWith("!"))])
    cpSync(join(ROOT, name), join(source, name), { recursive: true });
  mkdirSync(join(source, "scripts"));
  writeFileSync(join(source, "scripts/build.mjs"), "");
  const { stdout } = await npm(source, "pack", "--json", "--pack-destination", folder);
  const [described] = Object.values(JSON.parse(stdout)) as Omit<Tarball, "file" | "manifest">[];
  const file = readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
  const manifest = readFileSync(join(source, "package.json"), "utf8");
  return { ...described!, file: join(folder, file), manifest };
}

/** Creates a project with the package installed, and returns npm's output. */
export async function install(
  tarball: Tarball,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly folder: string; readonly warnings: string }> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const { stderr } = await npm(folder, "install", "--offline", "--no-audit", "--no-fund", tarball.file);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, warnings: stderr };
}
