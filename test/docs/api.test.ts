import { describe, expect, it } from "vitest";
import { ERROR_STATUS } from "../../src/core/schema/refusals.js";
import { openSandbox } from "../support/api-client.js";
import { PageRun } from "./support/page-run.js";
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
    const session = new PageRun(PAGE);
    await session.prepare();
    await session.begin("npx payments-sandbox");
    const body = JSON.parse(await session.carryOut(session.steps[0]!)) as Record<string, unknown>;
    const shown = JSON.parse(markedBlock(PAGE, "response: createQuote").code);
    expect(Object.keys(body)).toEqual(Object.keys(shown));
    for (const [name, value] of Object.entries(shown))
      if (!String(value).endsWith("…")) expect([name, body[name]]).toEqual([name, value]);
  });
});
