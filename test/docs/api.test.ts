import { describe, expect, it } from "vitest";
import { ERROR_STATUS } from "../../src/core/schema/refusals.js";
import { openSandbox } from "../support/api-client.js";
import { PageRun } from "./support/page-run.js";
import { markedBlock, pageText } from "./support/pages.js";

const PAGE = "docs/api.md";

/** Parses a response on the page; `…` replaces the rest of a text. */
function responseOnPage(operation: string): unknown {
  return JSON.parse(markedBlock(PAGE, `response: ${operation}`).code, (_key, value) =>
    typeof value === "string" && value.endsWith("…") ? expect.stringContaining(value.slice(0, -1)) : value,
  );
}

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

  it("docs/api.md shows a quote and a charge as the sandbox returns them", async () => {
    const session = new PageRun(PAGE);
    await session.prepare();
    await session.begin("npx payments-sandbox --clock manual");
    const printed = await session.carryOut(session.steps[0]!);
    const bodies = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(bodies).toEqual(["createQuote", "getCharge"].map(responseOnPage));
  });
});
