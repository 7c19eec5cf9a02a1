import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { run } from "../support/process-command.js";

const folder = temporaryFolder();

/** Creates a certificate for localhost as docs/https.md describes. */
function certificate(name: string) {
  const [tlsCert, tlsKey] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", tlsKey, "-out", tlsCert];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...key, "-days", "2", ...names, ...files], { stdio: "ignore" });
  return { tlsCert, tlsKey };
}

const own = certificate("own");

/** Returns the status of GET /health, or the error. */
function health(url: string, ca: string): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request(`${url}/health`, { ca, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end();
  });
}

it("exec --tls-cert gives the command a trusted https URL", async () => {
  const script =
    "process.stdout.write(String((await fetch(process.env.PAYMENTS_BASE_URL.replace('127.0.0.1', 'localhost') + '/health')).status))";
  writeFileSync(join(folder, "looks.mjs"), script);
  const args = [
    "exec",
    "--tls-cert",
    own.tlsCert,
    "--tls-key",
    own.tlsKey,
    "--",
    process.execPath,
    "looks.mjs",
  ];
  const { code, stdout, stderr } = await run(args, {
    cwd: folder,
    env: { NODE_EXTRA_CA_CERTS: own.tlsCert },
  });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "200" });
});

it("createSandbox serves the given certificate", async () => {
  await using sandbox = await createSandbox(own);
  await sandbox.listen();
  const ca = readFileSync(own.tlsCert, "utf8");
  expect(await health(sandbox.url.replace("127.0.0.1", "localhost"), ca)).toBe(200);
  expect(await health(sandbox.url, ca)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  // A client without TLS gets an error, and the server keeps running.
  for (const method of ["GET", "POST", "DELETE"]) {
    const body = method === "POST" ? "x".repeat(100_000) : null;
    const answer = await fetch(`${sandbox.url.replace("https", "http")}/health`, { method, body });
    const error = { code: "VALIDATION_ERROR", message: expect.stringContaining("use https://") };
    expect([answer.status, await answer.json()]).toEqual([400, { error }]);
  }
  expect(await health(sandbox.url.replace("127.0.0.1", "localhost"), ca)).toBe(200);
});

it("a webhook to an HTTPS receiver needs a certificate that the sandbox trusts", async () => {
  await using receiver = await createSandbox(own);
  await receiver.listen();
  await using sandbox = await createSandbox({ clock: "manual", webhooks: [`${receiver.url}/webhooks`] });
  await sandbox.run("createEvent", { type: "webhook.test" });
  await sandbox.advance("1s");
  const { items } = await sandbox.run("listDeliveries");
  expect(items[0]!.attempts).toMatchObject([{ status: null, error: expect.stringMatching(/self-signed/) }]);
});

it("createSandbox refuses an invalid certificate or key in one line", async () => {
  const { tlsCert: good, tlsKey: itsKey } = own;
  const other = certificate("other").tlsKey;
  const text = join(folder, "text.pem");
  writeFileSync(text, "hello");
  const messageOf = async (options: object): Promise<string> => {
    const sandbox = await createSandbox(options).catch((error: Error) => error);
    if (sandbox instanceof Error) return sandbox.message;
    const listening = sandbox.listen().then(() => "it listens");
    return listening.catch((error: Error) => error.message).finally(() => sandbox.close());
  };
  const missing = join(folder, "missing.pem");
  expect(await messageOf({ tlsCert: good })).toMatch(/^tls_cert: .*--tls-key/);
  expect(await messageOf({ tlsKey: itsKey })).toMatch(/^tls_key: .*--tls-cert/);
  expect(await messageOf({ tlsCert: missing, tlsKey: itsKey })).toBe(
    `--tls-cert: ${missing} cannot be read: there is no such file or folder`,
  );
  expect(await messageOf({ tlsCert: text, tlsKey: itsKey })).toContain(`${text} has no certificate`);
  expect(await messageOf({ tlsCert: good, tlsKey: text })).toContain(`${text} has no private key`);
  expect(await messageOf({ tlsCert: good, tlsKey: other })).toContain("is not that of the certificate");
});
