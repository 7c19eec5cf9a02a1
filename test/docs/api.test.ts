import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ERROR_STATUS } from "../../src/core/schema/refusals.js";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { loadShippedContent } from "../../src/tools/scenario/shipped.js";
import { openSandbox } from "../support/api-client.js";
import { shippedDocument } from "../support/openapi-document.js";
import { ROOT } from "../support/process-command.js";
import {
  chargeStatusTable,
  fieldTable,
  methodTable,
  operationTable,
  schemasIn,
  withdrawalStatusTable,
} from "./support/api-tables.js";
import { blocksOf, pageText } from "./support/pages.js";

const PAGE = "docs/api.md";
const FIELDS = /(<!-- fields: ([\w +-]+) -->\n)[\s\S]*?(<!-- \/fields -->)/g;

let document: OpenApiDocument;
beforeAll(async () => {
  document = await shippedDocument();
});

describe(PAGE, () => {
  it("has every operation, status and field of the OpenAPI document", async () => {
    const { fixtures } = await loadShippedContent();
    const tables = {
      operations: operationTable(document),
      methods: methodTable(fixtures),
      "charge statuses": chargeStatusTable(),
      "withdrawal statuses": withdrawalStatusTable(),
    };
    let page = pageText(PAGE).replace(
      FIELDS,
      (_all, begin: string, expression: string, end: string) =>
        `${begin}${fieldTable(expression, document.components.schemas)}${end}`,
    );
    for (const [name, table] of Object.entries(tables))
      page = page.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_all, begin: string, end: string) => `${begin}${table}${end}`,
      );
    await expect(page).toMatchFileSnapshot(join(ROOT, PAGE));
  });

  it("has the fields of every schema", () => {
    const named = [...pageText(PAGE).matchAll(FIELDS)].flatMap(([, , expression]) => schemasIn(expression!));
    const schemas = Object.entries(document.components.schemas);
    const withFields = schemas.flatMap(([name, schema]) => ("properties" in schema ? [name] : []));
    expect(named.sort()).toEqual(withFields.sort());
  });

  it("has every error code of the service, with its status", async () => {
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

  it("says that it is not another service's API, whose calls get 404", async () => {
    const sandbox = await openSandbox();
    for (const path of ["/v1/payment_intents", "/transaction/initialize", "/v3/payments"])
      expect((await sandbox.fetch(path, { method: "POST" })).status, path).toBe(404);
  });

  it("shows a request with the response that the sandbox gives", async () => {
    const codeOf = (marker: string) => JSON.parse(blocksOf(PAGE).find((one) => one.marker === marker)!.code);
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
