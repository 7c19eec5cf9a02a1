// Prepares HTTPS: reads the user's certificate or makes one for this run, and writes trust files for clients.
// port.ts calls `prepareTls`; `Certificates` in PEM flow through. The system's trust store is never changed.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createSecureContext } from "node:tls";
import { UserError } from "../../core/schema/user-error.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { machineNowMs } from "../../core/time/timers.js";
import type { CreateServer } from "../http/listener.js";
import { writeTrustFiles } from "./trust-files.js";

export interface TlsOptions {
  readonly tls_cert?: string | undefined;
  readonly tls_key?: string | undefined;
}

/** Prepares an HTTPS server with the user's certificate or, without one, with a new certificate for `names`. */
export async function prepareTls(options: TlsOptions, names: readonly string[]) {
  const { cert, key, ca } =
    options.tls_cert === undefined
      ? await makeRunCertificate(names)
      : readUserCertificate(options.tls_cert, options.tls_key!);
  return {
    // The cast is safe: `https.Server` has all options, events and methods that the listener uses.
    createServer: ((serverOptions: ServerOptions, onRequest: RequestListener) =>
      createServer({ ...serverOptions, cert, key }, onRequest)) as unknown as CreateServer,
    publish: (port: number) => writeTrustFiles(port, ca),
  };
}

async function makeRunCertificate(names: readonly string[]) {
  const { makeCertificates } = await loadLazily(() => import("./certificates.js"));
  return makeCertificates(names, machineNowMs());
}

/** Reads and checks the user's files. The certificate file, including its chain, becomes `ca` in the trust files. */
function readUserCertificate(certFile: string, keyFile: string) {
  const cert = readPem("--tls-cert", certFile);
  const key = readPem("--tls-key", keyFile);
  const certificate = orUndefined(() => new X509Certificate(cert));
  if (certificate === undefined)
    throw new UserError(
      `--tls-cert: ${certFile} has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----`,
    );
  const privateKey = orUndefined(() => createPrivateKey(key));
  if (privateKey === undefined)
    throw new UserError(`--tls-key: ${keyFile} has no private key in PEM without a passphrase`);
  if (!certificate.checkPrivateKey(privateKey))
    throw new UserError(`--tls-key: the key in ${keyFile} is not that of the certificate in ${certFile}`);
  if (orUndefined(() => createSecureContext({ cert, key })) === undefined)
    throw new UserError(`--tls-cert: the certificate in ${certFile} cannot be used by a server`);
  return { cert, key, ca: cert };
}

function readPem(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${flag}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function orUndefined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
