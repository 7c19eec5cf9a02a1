import { expect, it } from "vitest";
import { FIXED_SEED } from "../../src/core/schema/option-schemas.js";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { pageText } from "../docs/support/pages.js";
import { type Api, okBody, openApi } from "../support/api-client.js";
import { operationsOf } from "../support/openapi-document.js";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly example?: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": { readonly examples: Record<string, { readonly value: unknown }> };
    };
  };
}

/** Sends an operation's example, as a tool does after importing the document. */
async function sendExample(
  api: Api,
  method: string,
  path: string,
  operation: Operation,
  withHeaders: boolean,
) {
  const { parameters = [], requestBody } = operation;
  const exampleOf = (name: string) =>
    parameters.find((one) => one.in === "path" && one.name === name)?.example;
  const filled = path.replace(/{(\w+)}/g, (all, name: string) => exampleOf(name) ?? all);
  const headers = parameters.flatMap((one) =>
    withHeaders && one.in === "header" && one.example !== undefined ? [[one.name, one.example] as const] : [],
  );
  const [body] = Object.values(requestBody?.content["application/json"].examples ?? {});
  return api.ask(`${method} ${filled}`, body?.value, Object.fromEntries(headers));
}

it.each([
  ["with", true],
  ["without", false],
])("the document's examples succeed in order, %s the optional headers", async (_, withHeaders) => {
  const api = await openApi({ seed: FIXED_SEED, scenario: "instant" });
  const document = okBody(await api.get<OpenApiDocument>("/openapi.json"));
  for (const { method, path, operation } of operationsOf(document)) {
    const { operationId } = operation;
    const { status, text } = await sendExample(api, method, path, operation as Operation, withHeaders);
    expect([operationId, status, text]).toEqual([operationId, 200, text]);
  }
});

it("document and docs show the command that starts a sandbox", async () => {
  const command = `payments-sandbox start --clock manual --seed ${FIXED_SEED} --scenario instant`;
  const document = okBody(await (await openApi()).get<OpenApiDocument>("/openapi.json"));
  expect(document.info.description).toContain(`\`${command}\``);
  expect(pageText("docs/recipes.md")).toContain(command);
});
