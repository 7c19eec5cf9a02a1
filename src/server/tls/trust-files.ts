import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { UserError } from "../../core/schema/user-error.js";

/** Files that let clients trust a sandbox's certificate. */
export interface TrustFiles {
  /** The CA certificate alone, for clients that add it to the public authorities. */
  readonly caFile: string;
  /** The CA certificate and the public authorities, for clients that trust only the authorities of one file. */
  readonly bundleFile: string;
}

const CA = "ca.pem";
const BUNDLE = "bundle.pem";
const PID = "pid";

/**
 * Writes the trust files of a run; `end` deletes the files. The path of the files depends only on user and port, so the
 * path can stand in an app's settings, and sandbox commands find the files.
 */
export function writeTrustFiles(
  port: number,
  ca: string,
): { readonly trust: TrustFiles; readonly end: () => void } {
  let folder = folderOf(port);
  // Another sandbox uses this port on another address.
  if (isOwnedByOther(folder)) folder = `${folder}-${process.pid}`;
  const trust = { caFile: join(folder, CA), bundleFile: join(folder, BUNDLE) };
  try {
    mkdirSync(userFolder(), { recursive: true, mode: 0o700 });
    refuseForeign(userFolder());
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(trust.caFile, ca);
    writeFileSync(trust.bundleFile, [ca, ...publicAuthorities()].map((pem) => `${pem.trimEnd()}\n`).join(""));
    writeFileSync(join(folder, PID), String(process.pid));
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`--tls: cannot write the certificate to ${folder} (${code})`);
  }
  return { trust, end: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Finds the trust files of the HTTPS sandbox that this user runs at a port. */
export function findTrustFiles(port: number): TrustFiles | undefined {
  const folder = folderOf(port);
  const pid = ownerOf(folder);
  if (pid === undefined || !isRunning(pid)) return undefined;
  return { caFile: join(folder, CA), bundleFile: join(folder, BUNDLE) };
}

/** The id, because a container's user may have no name. Undefined on Windows, where temporary folders are per user. */
function userId(): number | undefined {
  return process.getuid?.();
}

function userFolder(): string {
  const uid = userId();
  return join(tmpdir(), uid === undefined ? "payments-sandbox" : `payments-sandbox-${uid}`);
}

function folderOf(port: number): string {
  return join(userFolder(), String(port));
}

/** Refuses a folder that another user can write to: its files decide which authorities clients trust. */
function refuseForeign(folder: string): void {
  const uid = userId();
  const stats = lstatSync(folder);
  if (uid !== undefined && (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o022) !== 0))
    throw new UserError(`--tls: ${folder} is not a folder that only you may write to; remove it`);
}

function ownerOf(folder: string): number | undefined {
  if (!existsSync(join(folder, PID))) return undefined;
  refuseForeign(userFolder());
  return Number(readFileSync(join(folder, PID), "utf8"));
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

/** The public authorities, as replaced by SSL_CERT_FILE and extended by NODE_EXTRA_CA_CERTS. */
function publicAuthorities(): string[] {
  const [replacing, added] = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].map((variable) => {
    const file = process.env[variable];
    return file !== undefined && existsSync(file) ? [readFileSync(file, "utf8")] : undefined;
  });
  return [...(replacing ?? tls.rootCertificates), ...(added ?? [])];
}
