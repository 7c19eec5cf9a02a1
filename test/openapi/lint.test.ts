import { expect, it } from "vitest";
import { SIGNATURE_PRESETS, type Signature } from "../../src/core/schema/signature-schemes.js";
import { openApi } from "../support/api-client.js";
import { importFrom } from "../support/test-packages.js";

/** The part of Redocly's linter that is used here. */
interface Linter {
  createConfig(config: object): Promise<object>;
  lintFromString(document: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: object;
  }): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
}

const { createConfig, lintFromString } = await importFrom<Linter>("openapi-lint", "@redocly/openapi-core");
const config = await createConfig({
  extends: ["recommended-strict"],
  rules: {
    "no-invalid-schema-examples": "error",
    "no-invalid-media-type-examples": "error",
    "no-invalid-parameter-examples": "error",
    "no-unused-components": "error",
  },
});

async function lintFaults(path: string, signature: Signature = "standard"): Promise<string[]> {
  const { text: source } = await (await openApi({ signature })).get(path);
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

const CUSTOM: Signature = {
  header: "X-Hub-Signature-256",
  algorithm: "sha1",
  encoding: "hex",
  prefix: "sha1=",
  payload: "timestamp.body",
  timestamp_header: "X-Time",
};

it.each(["/openapi.json", "/_sandbox/openapi.json"])(
  "the document at %s is valid OpenAPI 3.1 with valid examples",
  async (path) => {
    expect(await lintFaults(path)).toEqual([]);
  },
);

it.each([...SIGNATURE_PRESETS, CUSTOM])(
  "the document is valid OpenAPI 3.1 with the signature scheme %j",
  async (signature) => {
    expect(await lintFaults("/openapi.json", signature)).toEqual([]);
  },
);
