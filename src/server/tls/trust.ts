import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { UserError } from "../../core/schema/user-error.js";

/** Where clients find what a sandbox's certificate is to be trusted by. */
export interface Trust {
  /** A file with that certificate alone, for clients that trust others besides. */
  readonly caFile: string;
  /** The same and those of the public authorities, for clients that trust one file and nothing else. */
  readonly bundleFile: string;
}

const CA = "ca.pem";
const BUNDLE = "bundle.pem";
const OWNER = "pid";

/**
 * Writes down for the time of a run what its certificate is to be trusted by; call what comes back at its end. It lies
 * in the temporary folder, under the port: an app's settings can name the file for good, and our own commands find it
 * without being told. Not beside `--data`: a certificate that outlives its run is the user's own to make and to keep.
 */
export function publishTrust(port: number, ca: string): { readonly trust: Trust; readonly end: () => void } {
  let folder = folderOf(port);
  // Another sandbox has that port on another address.
  if (isOwnedByOther(folder)) folder = `${folder}-${process.pid}`;
  const trust = { caFile: join(folder, CA), bundleFile: join(folder, BUNDLE) };
  try {
    mkdirSync(home(), { recursive: true, mode: 0o700 });
    refuseForeign(home());
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(trust.caFile, ca);
    writeFileSync(trust.bundleFile, [ca, ...usuallyTrusted()].map((pem) => `${pem.trimEnd()}\n`).join(""));
    writeFileSync(join(folder, OWNER), String(process.pid));
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`--tls: its certificate cannot be kept in ${folder} (${code})`);
  }
  return { trust, end: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What the sandbox of this user at that port is trusted by; undefined where none runs that speaks HTTPS. */
export function findTrust(port: number): Trust | undefined {
  const folder = folderOf(port);
  const pid = ownerOf(folder);
  if (pid === undefined || !isRunning(pid)) return undefined;
  return { caFile: join(folder, CA), bundleFile: join(folder, BUNDLE) };
}

/** None on Windows, where the temporary folder is the user's own. A container's user need not have a name. */
function userId(): number | undefined {
  return process.getuid?.();
}

function home(): string {
  const uid = userId();
  return join(tmpdir(), uid === undefined ? "payments-sandbox" : `payments-sandbox-${uid}`);
}

function folderOf(port: number): string {
  return join(home(), String(port));
}

/** In a folder that all may write to somebody else may have been first, and would say what we trust. */
function refuseForeign(folder: string): void {
  const uid = userId();
  const found = lstatSync(folder);
  if (uid !== undefined && (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0))
    throw new UserError(`--tls: ${folder} is not a folder that only you may write to; remove it`);
}

function ownerOf(folder: string): number | undefined {
  if (!existsSync(join(folder, OWNER))) return undefined;
  refuseForeign(home());
  return Number(readFileSync(join(folder, OWNER), "utf8"));
}

function isOwnedByOther(folder: string): boolean {
  const pid = ownerOf(folder);
  return pid !== undefined && pid !== process.pid && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The public authorities, or those that the user's environment has in their place, and what it adds to them. */
function usuallyTrusted(): string[] {
  const [instead, besides] = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].map((variable) => {
    const file = process.env[variable];
    return file !== undefined && existsSync(file) ? [readFileSync(file, "utf8")] : undefined;
  });
  return [...(instead ?? tls.rootCertificates), ...(besides ?? [])];
}
