import fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { signatureHeaders } from "../../src/core/delivery/signing.js";
import { issueMessage, safeParse } from "../../src/core/schema/issues.js";
import { startOptionsSchema } from "../../src/core/schema/option-table.js";
import {
  type CustomSignature,
  SIGNATURE_PRESETS,
  type Signature,
  secretErrorMessage,
  signatureSchema,
} from "../../src/core/schema/signature-schemes.js";
import type { Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";
import { Stripe, SvixWebhook } from "../support/webhook-libraries.js";

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const TEXT_SECRET = "sk_test_a_secret_of_mine";
/** Input of the expected values below, computed in Python. */
const AT_MS = 1_614_265_330_000;
const BODY =
  '{"id":"evt_1","name":"Zoë 😀","amount":"123456789012345678901234567890.12345678","metadata":{}}';

function sign(signature: Signature, body: string, secrets: readonly string[] = [TEXT_SECRET]) {
  return signatureHeaders(signature, { id: "evt_1", sentAtMs: AT_MS, body }, secrets);
}

/** Event bodies with unicode, big decimals and empty values. */
const bodies = fc.oneof(
  fc
    .record({
      id: fc.string({ unit: "grapheme" }),
      name: fc.string({ unit: "binary" }),
      amount: fc
        .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat(99_999_999))
        .map(([whole, rest]) => `${whole}.${rest}`),
      metadata: fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })),
    })
    .map((event) => JSON.stringify(event)),
  fc.json(),
  fc.constantFrom(BODY, "{}", '{"metadata":{}}', '{"n": 1.50, "big": 12345678901234567890.10}', '"\\u00eb"'),
);
const now = () => Date.now();

it("standardwebhooks verifies the signature [R27.9 R28.5]", () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const headers = signatureHeaders("standard", { id: "evt_1", sentAtMs: now(), body }, [SECRET]);
      expect(new StandardWebhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new StandardWebhook(OLD_SECRET).verify(body, headers)).toThrow();
      expect(() => new StandardWebhook(SECRET).verify(`${body} `, headers)).toThrow();
    }),
  );
});

it("svix verifies the signature", () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const headers = signatureHeaders("svix", { id: "evt_1", sentAtMs: now(), body }, [SECRET]);
      expect(Object.keys(headers)).toEqual(["svix-id", "svix-timestamp", "svix-signature"]);
      expect(new SvixWebhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new SvixWebhook(OLD_SECRET).verify(body, headers)).toThrow();
    }),
  );
});

it("stripe verifies the signature", () => {
  const { webhooks } = new Stripe("sk_test_nobody");
  fc.assert(
    fc.property(bodies, fc.constantFrom(SECRET, TEXT_SECRET), (body, secret) => {
      const headers = signatureHeaders("stripe", { id: "evt_1", sentAtMs: now(), body }, [secret]);
      const header = headers["stripe-signature"]!;
      expect(webhooks.constructEvent(body, header, secret)).toEqual(JSON.parse(body));
      expect(() => webhooks.constructEvent(body, header, OLD_SECRET)).toThrow();
    }),
  );
});

it("both secrets of a rotation verify in either order", () => {
  for (const secrets of [
    [SECRET, OLD_SECRET],
    [OLD_SECRET, SECRET],
  ]) {
    const message = { id: "evt_1", sentAtMs: now(), body: BODY };
    const standard = signatureHeaders("standard", message, secrets);
    const svix = signatureHeaders("svix", message, secrets);
    const stripe = signatureHeaders("stripe", message, secrets)["stripe-signature"]!;
    expect(stripe).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    for (const secret of secrets) {
      new StandardWebhook(secret).verify(BODY, standard);
      new SvixWebhook(secret).verify(BODY, svix);
      new Stripe("sk_test_nobody").webhooks.constructEvent(BODY, stripe, secret);
    }
  }
});

it("signatures equal the published examples of Standard Webhooks", () => {
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", sentAtMs: AT_MS, body: '{"test": 2432232314}' };
  expect(signatureHeaders("standard", message, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("signatures equal the published examples of GitHub", () => {
  const github = {
    header: "X-Hub-Signature-256",
    algorithm: "sha256",
    encoding: "hex",
    prefix: "sha256=",
  } as const;
  expect(sign(github, "Hello, World!", ["It's a Secret to Everybody"])).toEqual({
    "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  });
});

it.each([
  [
    "paystack",
    {
      "x-paystack-signature":
        "c0104432b4b9a5773fcb832e52e88d1660e04ceae129cb1f7ffd6d52476a544808340361ef4e2fa1dc8e455042da8fa2418377d30d93671684bb55dc71013f41",
    },
  ],
  [
    "generic-hex",
    { "x-webhook-signature": "f850da55ddb43cd01110a828c1c657a0210b51f981c124244c31c1eff149fa0d" },
  ],
  [
    "stripe",
    {
      "stripe-signature": "t=1614265330,v1=85f5a747e62bb6585b9153556a9f10635021e3deca8d1c6c0ad8e55b8bb40bf3",
    },
  ],
  ["flutterwave", { "verif-hash": TEXT_SECRET }],
  ["none", {}],
  [
    {
      header: "x-s",
      algorithm: "sha1",
      encoding: "base64",
      payload: "timestamp.body",
      timestamp_header: "x-t",
    },
    { "x-t": "1614265330", "x-s": "iw8KLzEvijwjLJfK9T7dJSWc0RA=" },
  ],
  [
    { header: "x-s", algorithm: "sha512", encoding: "base64", prefix: "v1=", payload: "id.timestamp.body" },
    {
      "webhook-id": "evt_1",
      "webhook-timestamp": "1614265330",
      "x-s": "v1=hh39zFaAlS+zR/NBmvSgDhhC5F4QDKVcPouuOfPDyaaVNvy2TAW+MIeHRhsXYxl/uEVeqUYAlCpPo31sjHLGUw==",
    },
  ],
] as [Signature, Record<string, string>][])(
  "a signature equals one computed by Python: %j",
  (signature, expected) => {
    expect(sign(signature, BODY)).toEqual(expected);
  },
);

it.each([
  "paystack",
  "flutterwave",
  "generic-hex",
  { header: "x-s", algorithm: "sha256", encoding: "hex" },
] as const)("a scheme with a single signature uses only the new secret: %j", (signature) => {
  expect(sign(signature, BODY, [SECRET, OLD_SECRET])).toEqual(sign(signature, BODY, [SECRET]));
});

it("a scheme with a single signature accepts a secret that looks like a placeholder", () => {
  expect(sign("flutterwave", BODY, ["{id}{signatures}"])).toEqual({ "verif-hash": "{id}{signatures}" });
});

const fault = (value: unknown): string | undefined => {
  const checked = safeParse(signatureSchema, value);
  return checked.ok
    ? undefined
    : checked.issues.map((issue) => [...issue.path, issueMessage(issue)].join(" ")).join(" | ");
};
const CUSTOM: CustomSignature = { header: "X-Signature", algorithm: "sha256", encoding: "hex" };

it.each([
  ...SIGNATURE_PRESETS,
  CUSTOM,
  { ...CUSTOM, prefix: "", payload: "id.timestamp.body", timestamp_header: "X-Time" },
])("accepts the signature scheme %j", (signature) => {
  expect(fault(signature)).toBeUndefined();
});

it.each([
  [
    "stripes",
    "must be one of standard, svix, stripe, paystack, flutterwave, generic-hex, none, or an object",
  ],
  [7, "must be one of standard"],
  [null, "must be one of standard"],
  [[], "must be one of standard"],
  [
    { header: "X-Signature", algorithm: "md5" },
    "algorithm must be one of sha256, sha512, sha1; encoding is required",
  ],
  [{ ...CUSTOM, header: "X Signature" }, "header must be the name of a header"],
  [{ ...CUSTOM, header: "Content-Type" }, "header must not be a header that every delivery already has"],
  [{ ...CUSTOM, prefix: "{id}" }, "prefix must be"],
  [{ ...CUSTOM, prefix: "a\r\nb" }, "prefix must be"],
  [{ ...CUSTOM, payload: "id.body" }, "payload must be one of body, timestamp.body, id.timestamp.body"],
  [{ ...CUSTOM, headers: "x" }, "unknown: headers"],
])("refuses the signature scheme %j", (signature, message) => {
  expect(fault(signature)).toContain(message);
});

it("requires a decodable key only when the scheme decodes it", () => {
  for (const signature of SIGNATURE_PRESETS) {
    expect(secretErrorMessage(signature, SECRET)).toBeUndefined();
    expect(secretErrorMessage(signature, "my-secret-hash") === undefined).toBe(
      !["standard", "svix"].includes(signature),
    );
  }
  expect(secretErrorMessage(undefined, "my-secret-hash")).toBe(
    "must be whsec_ and at least 16 bytes in base64",
  );
});

it.each([
  [{ webhook_secret: "plain" }, "webhook_secret"],
  [{ webhook_secret: "plain", signature: "paystack" }, undefined],
  [{ webhooks: [{ url: "localhost:1", secret: "plain" }] }, "webhooks.0.secret"],
  [{ webhooks: [{ url: "localhost:1", secret: "plain", signature: "flutterwave" }] }, undefined],
  [{ signature: "stripe", webhooks: [{ url: "localhost:1", secret: "plain" }] }, undefined],
  [
    { signature: "stripe", webhook_secret: "plain", webhooks: [{ url: "localhost:1", signature: "svix" }] },
    "webhooks.0.secret",
  ],
])("checks the secret of the scheme %j", (options, path) => {
  const checked = safeParse(startOptionsSchema, options);
  expect(checked.ok ? undefined : checked.issues.map((issue) => issue.path.join(".")).join()).toBe(path);
});

async function firstDelivery(sandbox: Sandbox, receiver: Receiver) {
  await Client.of(sandbox).pay();
  await sandbox.advance("10s");
  return receiver.received[0]!;
}

it("signs with the configured scheme", async () => {
  const receiver = await Receiver.open();
  const sandbox = await openSandbox({
    webhooks: [receiver.url],
    signature: "stripe",
    webhookSecret: TEXT_SECRET,
  });
  const { body, headers } = await firstDelivery(sandbox, receiver);
  expect(headers["webhook-id"]).toBeUndefined();
  const header = headers["stripe-signature"] as string;
  new Stripe("sk_test_nobody").webhooks.constructEvent(body, header, TEXT_SECRET);
});

it("signs with the endpoint's own scheme", async () => {
  const [one, two] = [await Receiver.open(), await Receiver.open()];
  const sandbox = await openSandbox({
    webhooks: [{ url: one.url, signature: { ...CUSTOM, prefix: "sha256=" }, secret: TEXT_SECRET }],
  });
  const post = (body: unknown) => Client.of(sandbox).post("/_sandbox/webhook-endpoints", body);
  const made = await post({ url: two.url, signature: "paystack", secret: TEXT_SECRET });
  expect(made.json).toMatchObject({ signature: "paystack", secret: TEXT_SECRET });
  const refused = await post({ url: two.url, signature: "svix", secret: TEXT_SECRET });
  expect(refused.status).toBe(400);
  expect(refused.json).toMatchObject({ error: { details: { secret: expect.stringContaining("whsec_") } } });

  const { body, headers } = await firstDelivery(sandbox, one);
  expect(headers["x-signature"]).toBe(
    sign({ ...CUSTOM, prefix: "sha256=" }, body, [TEXT_SECRET])["X-Signature"],
  );
  const { body: second, headers: secondHeaders } = two.received[0]!;
  expect(secondHeaders["x-paystack-signature"]).toBe(sign("paystack", second)["x-paystack-signature"]);
});
