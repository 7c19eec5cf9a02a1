import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/index.js";
import { makeCertificates } from "../../src/server/tls/certificates.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT, run } from "../support/process-command.js";

const folder = temporaryFolder();
const NOW_MS = Date.parse("2026-03-01T09:00:00Z");

function has(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const HAS_CURL = has("curl");
const HAS_PYTHON = has("python3");

/** What `exec --tls` runs: four kinds of client, each with nothing but what stands in its environment. */
const LOOKS = `
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
const { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY, SSL_CERT_FILE, CA } = process.env;
const said = (file, ...args) => execFileSync(file, args, { encoding: "utf8" });
const headers = { authorization: "Bearer " + PAYMENTS_API_KEY, "content-type": "application/json" };
const checkout = await fetch(url + "/api/v1/payments/checkouts", { method: "POST", headers, body: JSON.stringify({
  pricing: { base_currency: "USD", amount: "5.00" }, customer_email: "ada@example.com",
}) });
const answer = await checkout.json();
const page = await fetch(answer.checkout_url);
const authorities = readFileSync(SSL_CERT_FILE, "utf8").match(/BEGIN CERTIFICATE/g).length;
console.log(JSON.stringify({
  url, ca: CA, checkout: checkout.status, link: answer.checkout_url, page: page.status, manyAuthorities: authorities > 50,
  dashboard: (await fetch(url + "/_sandbox/dashboard")).status,
  curl: ${HAS_CURL} && said("curl", "-sS", url + "/health"),
  python: ${HAS_PYTHON} && said("python3", "-c", "import os, urllib.request as u; print(u.urlopen(os.environ['PAYMENTS_BASE_URL'] + '/health').status)"),
  command: JSON.parse(said(process.execPath, ${JSON.stringify(join(ROOT, "bin/payments-sandbox.js"))}, "status", "--json")).namespace,
}));
`;

it("exec --tls: what it starts trusts the sandbox by its environment alone, and nothing is left", async () => {
  writeFileSync(join(folder, "looks.mjs"), LOOKS);
  const args = ["exec", "--tls", "--env", "CA={ca_file}", "--", process.execPath, "looks.mjs"];
  const { code, stdout, stderr } = await run(args, { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const seen = JSON.parse(stdout);
  expect(seen).toMatchObject({
    url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    checkout: 200,
    link: expect.stringContaining(`${seen.url}/checkout/`),
    page: 200,
    dashboard: 200,
    manyAuthorities: true,
    command: "default",
    ...(HAS_CURL ? { curl: expect.stringContaining('"ok"') } : {}),
    ...(HAS_PYTHON ? { python: "200\n" } : {}),
  });
  expect(existsSync(seen.ca)).toBe(false);
});

/** The status of GET /health over that trust, or what is wrong with it. */
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

it("a certificate says whose it is, of every kind of name, and until when", () => {
  const names = ["localhost", "pay.test", "127.0.0.1", "::1", "2001:db8::5:0:1", "::ffff:10.0.0.1"];
  const [ca, cert] = (({ ca, cert }) => [ca, cert].map((pem) => new X509Certificate(pem)))(
    makeCertificates(names, NOW_MS),
  );
  expect(cert!.verify(ca!.publicKey)).toBe(true);
  expect(cert!.checkIssued(ca!)).toBe(true);
  expect([ca!.ca, cert!.ca]).toEqual([true, false]);
  for (const name of names) expect(cert!.checkHost(name) ?? cert!.checkIP(name), name).toBe(name);
  expect(cert!.checkHost("elsewhere.test")).toBeUndefined();
  expect([cert!.validFrom, cert!.validTo].map((text) => new Date(text).toISOString())).toEqual([
    "2026-02-28T09:00:00.000Z",
    "2027-03-01T09:00:00.000Z",
  ]);
  const later = new X509Certificate(makeCertificates(names, Date.parse("2049-07-01T00:00:00Z")).ca);
  expect(new Date(later.validTo).toISOString()).toBe("2050-07-01T00:00:00.000Z");
});

describe("HTTPS in the library", () => {
  it("makes an authority of its own each time", async () => {
    await using one = await createSandbox({ tls: true, allowedHosts: ["payments"] });
    await using other = await createSandbox({ tls: true });
    expect(one.trust).toBeUndefined();
    await one.listen();
    await other.listen();
    const [ca, foreign] = [one, other].map(({ trust }) => readFileSync(trust!.caFile, "utf8"));
    expect(await health(one.url, ca!)).toBe(200);
    expect(await health(one.url.replace("127.0.0.1", "localhost"), ca!)).toBe(200);
    expect(await health(one.url, foreign!)).toMatch(/UNABLE_TO_VERIFY|SIGNATURE|ISSUER/);
    // Somebody who does not speak TLS is told so, and harms nobody.
    for (const method of ["GET", "POST", "DELETE"]) {
      const body = method === "POST" ? "x".repeat(100_000) : undefined;
      const answer = await fetch(`${one.url.replace("https", "http")}/health`, {
        method,
        body: body ?? null,
      });
      const error = { code: "VALIDATION_ERROR", message: expect.stringContaining("use https://") };
      expect([answer.status, await answer.json()]).toEqual([400, { error }]);
    }
    expect(await health(one.url, ca!)).toBe(200);
  });

  it("serves a certificate of one's own", async () => {
    const { ca, cert, key } = makeCertificates(["localhost"], Date.now());
    const files = { tlsCert: join(folder, "cert.pem"), tlsKey: join(folder, "key.pem") };
    writeFileSync(files.tlsCert, cert);
    writeFileSync(files.tlsKey, key);
    await using sandbox = await createSandbox(files);
    await sandbox.listen();
    expect(await health(sandbox.url.replace("127.0.0.1", "localhost"), ca)).toBe(200);
    expect(await health(sandbox.url, ca)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(readFileSync(sandbox.trust!.caFile, "utf8")).toBe(cert);
  });

  it("refuses what is no certificate and its key, in a line", async () => {
    const { cert, key } = makeCertificates(["localhost"], NOW_MS);
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const [good, itsKey] = [write("good.pem", cert), write("good.key", key)];
    const other = write("other.key", makeCertificates(["localhost"], NOW_MS).key);
    const text = write("text.pem", "hello");
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
      `--tls-cert: ${missing} cannot be read (ENOENT)`,
    );
    expect(await messageOf({ tlsCert: text, tlsKey: itsKey })).toContain(`${text} has no certificate`);
    expect(await messageOf({ tlsCert: good, tlsKey: text })).toContain(`${text} has no private key`);
    expect(await messageOf({ tlsCert: good, tlsKey: other })).toContain("is not that of the certificate");
  });
});
