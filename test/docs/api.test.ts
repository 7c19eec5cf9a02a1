import { describe, expect, it } from "vitest";
import { ERROR_STATUS } from "../../src/core/schema/refusals.js";
import { openSandbox } from "../support/api-client.js";
import { markedBlock, pageText } from "./support/pages.js";

const PAGE = "docs/api.md";

describe(PAGE, () => {
  it("docs/api.md lists every error code with its status", async () => {
    const told = [...pageText(PAGE).matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, code]) => [
      code,
      Number(status),
    ]);
    const sandbox = await openSandbox();
    const { error_codes } = (await (await sandbox.fetch("/_sandbox/coverage")).json()) as {
      error_codes: { not_met: (keyof typeof ERROR_STATUS)[] };
    };
    expect(told).toEqual(error_codes.not_met.map((code) => [code, ERROR_STATUS[code]]));
  });

  it("calls of other payments services get 404", async () => {
    const sandbox = await openSandbox();
    for (const path of ["/v1/payment_intents", "/transaction/initialize", "/v3/payments"])
      expect((await sandbox.fetch(path, { method: "POST" })).status, path).toBe(404);
  });

  it("docs/api.md shows a request with the sandbox's response", async () => {
    const codeOf = (marker: string) => JSON.parse(markedBlock(PAGE, marker).code);
    const sandbox = await openSandbox();
    const response = await sandbox.fetch("/api/v1/payments/quotes", {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(codeOf("request: createQuote")),
    });
    const shown = codeOf("response: createQuote");
    const body = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(Object.keys(shown));
    for (const [name, value] of Object.entries(shown))
      if (!String(value).endsWith("…")) expect([name, body[name]]).toEqual([name, value]);
  });
});
