import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildIfMissing, ROOT } from "../../support/process-command.js";

const execute = promisify(execFile);

/** What `package.json` promises; the tests go by it. */
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

/** The modules that can be imported, as a user writes them; the manifest itself is no module. */
export const DOORS = Object.keys(MANIFEST.exports)
  .filter((path) => !path.endsWith(".json"))
  .map((path) => path.replace(/^\./, "payments-sandbox"));

/** Those that can be required too. */
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
  /** The text of `package.json` once it was packed. */
  readonly manifest: string;
  readonly size: number;
  readonly files: readonly PackedFile[];
}

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "payments-sandbox-package-"));
  folders.push(folder);
  return folder;
}

export function removeProjects(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** The machine's environment without what npm, which may run the tests, has put there; nothing is fetched. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|payments_|vitest|node_extra_ca_certs$|node_options$|node_env$|ci$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_cache: join(folders[0] ?? newFolder(), "npm-cache") };
}

async function npm(folder: string, ...args: string[]) {
  const userconfig = join(newFolder(), "none");
  return execute("npm", args, {
    cwd: folder,
    env: { ...cleanEnvironment(), npm_config_userconfig: userconfig, npm_config_update_notifier: "false" },
  });
}

/**
 * Packs what is built, in a folder that has what is published and a build that does nothing: another would build
 * under the feet of other tests.
 */
export async function pack(): Promise<Tarball> {
  buildIfMissing();
  const [source, folder] = [newFolder(), newFolder()];
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

/** A project that had nothing, with the tarball installed and these files written; and what npm had to say. */
export async function install(
  tarball: Tarball,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly folder: string; readonly warnings: string }> {
  const folder = newFolder();
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const { stderr } = await npm(folder, "install", "--offline", "--no-audit", "--no-fund", tarball.file);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, warnings: stderr };
}
