import { expect, it } from "vitest";
import {
  SIGNATURE_PRESETS,
  SIGNATURE_SCHEMES,
  type Signature,
} from "../../src/core/schema/signature-schemes.js";
import { createSandbox, openSandbox } from "../../src/library/opening.js";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { Api } from "../support/api-client.js";
import { Client } from "../support/receiver-client.js";
import { Receiver } from "../support/receiver-server.js";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly example: string;
  readonly schema: { readonly pattern?: string };
}

async function documentWith(signature: Signature): Promise<OpenApiDocument> {
  await using sandbox = await openSandbox({ signature });
  return (await new Api(sandbox).get("/openapi.json")).json;
}

const parametersOf = ({ webhooks }: OpenApiDocument, type = "charge.completed") =>
  (webhooks[type] as { post: { parameters: Parameter[] } }).post.parameters;

const CUSTOM: Signature = {
  header: "X-Hub-Signature-256",
  algorithm: "sha1",
  encoding: "hex",
  prefix: "sha1=",
  payload: "timestamp.body",
  timestamp_header: "X-Time",
};

it.each([...SIGNATURE_PRESETS, CUSTOM])(
  "the document has the headers of a sent webhook: %j",
  async (signature) => {
    const document = await documentWith(signature);
    await using receiver = await Receiver.open();
    await using sandbox = await createSandbox({ clock: "manual", signature, webhooks: [receiver.url] });
    await Client.of(sandbox).pay();
    await sandbox.advance("10s");
    const parameters = parametersOf(document);
    const usual = /^(accept|connection|content-(type|length)|host|user-agent|transfer-encoding)$/;
    const sent = Object.entries(receiver.received[2]!.headers).filter(([name]) => !usual.test(name));
    expect(parameters.map(({ name }) => name.toLowerCase()).sort()).toEqual(
      sent.map(([name]) => name).sort(),
    );
    // Replaces each value by its format.
    const form = (text: unknown) =>
      String(text)
        .replace(/^(t=)?\d{10}(?=,|$)/, "$1N")
        .replace(/evt_\w+/, "evt")
        .replace(/[A-Za-z0-9+/]{27,}={0,2}/g, (part) => `<${part.length}>`);
    for (const { name, example, schema, description } of parameters) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[\w`].*\.$/)]);
      if (signature === "flutterwave") continue;
      const value = Object.fromEntries(sent)[name.toLowerCase()];
      expect([name, form(example)]).toEqual([name, form(value)]);
      if (schema.pattern !== undefined) expect(value).toMatch(new RegExp(schema.pattern));
    }
  },
);

it("the document describes the signed content and the key", async () => {
  const signatureOf = async (signature: Signature) => parametersOf(await documentWith(signature)).at(-1)!;
  expect((await signatureOf("standard")).description).toBe(
    "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, keyed with the decoded part of the secret after " +
      "`whsec_`. Two of them, a space between, while a secret is being rotated.",
  );
  expect((await signatureOf("stripe")).description).toBe(
    "Wall time of this attempt in seconds, then `v1=` and the HMAC-SHA256 of `timestamp.body` in hex, keyed with the " +
      "secret's text. Two of them, `,` between, while a secret is being rotated.",
  );
  expect((await signatureOf("paystack")).description).toBe(
    "The HMAC-SHA512 of `body` in hex, keyed with the secret's text.",
  );
  expect((await signatureOf("flutterwave")).description).toContain("secret itself");
  expect(await signatureOf(CUSTOM)).toMatchObject({
    name: "X-Hub-Signature-256",
    description: "`sha1=` and the HMAC-SHA1 of `timestamp.body` in hex, keyed with the secret's text.",
  });
});

it("the document names the active signature preset and describes the others", async () => {
  for (const [signature, here] of [
    ["standard", "by `standard`"],
    ["stripe", "by `stripe`"],
    [CUSTOM, "by a scheme of this sandbox's configuration"],
  ] as const) {
    const { tags } = await documentWith(signature);
    const { description } = tags.find(({ name }) => name === "Events")!;
    expect(description).toContain(here);
    for (const [name, { headers }] of Object.entries(SIGNATURE_SCHEMES))
      expect(description).toContain(
        `\`${name}\`: ${
          Object.keys(headers)
            .map((header) => `\`${header}\``)
            .join(", ") || "no header"
        }`,
      );
  }
});
