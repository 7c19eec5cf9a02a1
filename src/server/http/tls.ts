// Reads the user's certificate for HTTPS. The system's trust store is never changed.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { createSecureContext } from "node:tls";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { UserError } from "../../core/schema/user-error.js";
import type { CreateServer } from "./listener.js";

export function prepareTls(certFile: string, keyFile: string): CreateServer {
  const files = readUserCertificate(certFile, keyFile);
  // The cast is safe: `https.Server` has all options, events and methods that the listener uses.
  return ((options: ServerOptions, onRequest: RequestListener) =>
    createServer({ ...options, ...files }, onRequest)) as unknown as CreateServer;
}

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
  return { cert, key };
}

function readPem(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${flag}: ${file} cannot be read: ${systemErrorText(error)}`);
  }
}

function orUndefined<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
