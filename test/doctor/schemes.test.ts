import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/core/schema/option-schemas.js";
import type { Signature } from "../../src/core/schema/signature-schemes.js";
import { INVALID_SIGNATURE_PROBES } from "../../src/tools/doctor/invalid-signatures.js";
import { Stripe, SvixWebhook } from "../support/webhook-libraries.js";
import { checkAt, type Incoming, receiver, serve } from "./receivers.js";

const SECRET = DEFAULT_WEBHOOK_SECRET;
const { webhooks } = new Stripe("sk_test_nobody");
const must = (fits: boolean): void => {
  if (!fits) throw new Error("does not fit");
};
const hmac = (algorithm: string, text: string, encoding: "hex" | "base64" = "hex") =>
  createHmac(algorithm, SECRET).update(text).digest(encoding);

const NO_TIMES = ["other_version", "stale", "future", "minute_old", "rotated_secret"];

const schemes: [Signature, (incoming: Incoming) => void, notSent: string[]][] = [
  [
    "svix",
    ({ body, headers }) => void new SvixWebhook(SECRET).verify(body, headers as Record<string, string>),
    [],
  ],
  [
    "stripe",
    ({ body, headers }) => void webhooks.constructEvent(body, String(headers["stripe-signature"]), SECRET),
    ["other_case", "future"],
  ],
  [
    "paystack",
    ({ body, headers }) => must(headers["x-paystack-signature"] === hmac("sha512", body.toString())),
    ["other_case", ...NO_TIMES],
  ],
  ["flutterwave", ({ headers }) => must(headers["verif-hash"] === SECRET), ["tampered", ...NO_TIMES]],
  [
    "generic-hex",
    ({ body, headers }) => must(headers["x-webhook-signature"] === hmac("sha256", body.toString())),
    ["other_case", ...NO_TIMES],
  ],
  ["none", () => {}, [...Object.keys(INVALID_SIGNATURE_PROBES), "known_id", "minute_old", "rotated_secret"]],
  [
    { header: "X-Sig", algorithm: "sha1", encoding: "base64", payload: "timestamp.body", prefix: "v0=" },
    ({ body, headers }) => {
      const sentAt = Number(headers["webhook-timestamp"]);
      must(Math.abs(Date.now() / 1000 - sentAt) < 300);
      must(headers["x-sig"] === `v0=${hmac("sha1", `${sentAt}.${body}`, "base64")}`);
    },
    ["rotated_secret"],
  ],
  [
    { header: "X-Sig", algorithm: "sha1", encoding: "base64", payload: "body", prefix: "=" },
    ({ body, headers }) => must(headers["x-sig"] === `=${hmac("sha1", body.toString(), "base64")}`),
    NO_TIMES,
  ],
];

it.each(schemes)(
  "a correct receiver passes with the signature scheme %j",
  async (signature, verify, notSent) => {
    await using server = await serve(receiver({ verify }));
    const report = await checkAt(server.url, { signature });
    expect(report.findings).toEqual([]);
    expect(report.outcome).toBe("passed");
    const seenOnly = ["amount", "early"];
    const skipped = report.probes.filter((row) => row.answers.length === 0 && !seenOnly.includes(row.probe));
    expect(skipped.map((row) => row.probe)).toEqual(notSent);
    for (const row of skipped) {
      expect(row).toMatchObject({ verdict: "note", because: null, fault: null });
      expect(row.came_back).toMatch(/^not sent: (this scheme|nothing is signed|hexadecimal)/);
    }
  },
);

it.each(["paystack", "flutterwave", "stripe"] as const)(
  "a receiver that does not verify %s fails",
  async (signature) => {
    await using server = await serve(() => ({ status: 200 }));
    const report = await checkAt(server.url, { signature, secret: "any-text" });
    expect(report.signature).toBe(signature);
    expect(report.findings.map((finding) => finding.fault)).toEqual(["no_verification"]);
    expect(report.summary.fail).toBe(1);
  },
);
