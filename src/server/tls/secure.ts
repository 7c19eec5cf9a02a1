import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createSecureContext } from "node:tls";
import { lazily } from "../../core/schema/lazily.js";
import { UserError } from "../../core/schema/user-error.js";
import { machineNowMs } from "../../core/time/timers.js";
import type { CreateServer } from "../http/listener.js";
import { publishTrust } from "./trust.js";

export interface TlsOptions {
  readonly tls_cert?: string | undefined;
  readonly tls_key?: string | undefined;
}

/** What an HTTPS server is made of: the user's own certificate, or one for these names of an authority of this run. */
export async function secure(options: TlsOptions, names: readonly string[]) {
  const { cert, key, ca } =
    options.tls_cert === undefined ? await ownAuthority(names) : usersOwn(options.tls_cert, options.tls_key!);
  return {
    // A plain server to all who use it: what they differ in is before the first request.
    createServer: ((given: ServerOptions, onRequest: RequestListener) =>
      createServer({ ...given, cert, key }, onRequest)) as unknown as CreateServer,
    publish: (port: number) => publishTrust(port, ca),
  };
}

async function ownAuthority(names: readonly string[]) {
  const { makeCertificates } = await lazily(() => import("./authority.js"));
  return makeCertificates(names, machineNowMs());
}

/** With the chain it came in, it is what clients trust it by. */
function usersOwn(certFile: string, keyFile: string) {
  const cert = contents("--tls-cert", certFile);
  const key = contents("--tls-key", keyFile);
  const made = attempt(() => new X509Certificate(cert));
  if (made === undefined)
    throw new UserError(
      `--tls-cert: ${certFile} has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----`,
    );
  const itsKey = attempt(() => createPrivateKey(key));
  if (itsKey === undefined)
    throw new UserError(`--tls-key: ${keyFile} has no private key in PEM without a passphrase`);
  if (!made.checkPrivateKey(itsKey))
    throw new UserError(`--tls-key: the key in ${keyFile} is not that of the certificate in ${certFile}`);
  if (attempt(() => createSecureContext({ cert, key })) === undefined)
    throw new UserError(`--tls-cert: the certificate in ${certFile} cannot be used by a server`);
  return { cert, key, ca: cert };
}

function contents(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${flag}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
