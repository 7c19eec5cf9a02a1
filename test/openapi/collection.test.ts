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
  readonly schema: { readonly default?: string };
}

/** What a tool sends for an optional header. */
const HEADER_VALUES = {
  examples: ({ example }: Parameter) => example,
  defaults: ({ schema }: Parameter) => schema.default,
  "no values": () => undefined,
};
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
  headerValue: (parameter: Parameter) => string | undefined,
) {
  const { parameters = [], requestBody } = operation;
  const exampleOf = (name: string) =>
    parameters.find((one) => one.in === "path" && one.name === name)?.example;
  const filled = path.replace(/{(\w+)}/g, (all, name: string) => exampleOf(name) ?? all);
  const headers = parameters.flatMap((one) => {
    const value = one.in === "header" ? headerValue(one) : undefined;
    return value === undefined ? [] : [[one.name, value] as const];
  });
  const [body] = Object.values(requestBody?.content["application/json"].examples ?? {});
  return api.ask(`${method} ${filled}`, body?.value, Object.fromEntries(headers));
}

it.each(Object.entries(HEADER_VALUES))(
  "the document's examples succeed in order, with %s of headers",
  async (name, headerValue) => {
    const api = await openApi({ seed: FIXED_SEED, scenario: "instant" });
    const document = okBody(await api.get<OpenApiDocument>("/openapi.json"));
    for (const { method, path, operation } of operationsOf(document)) {
      const { operationId } = operation;
      const { status, text } = await sendExample(api, method, path, operation as Operation, headerValue);
      expect([operationId, status, text]).toEqual([operationId, 200, text]);
    }
    const values = operationsOf(document).flatMap(({ operation: { parameters = [] } }) =>
      parameters.filter((one) => one.in === "header").map((one) => headerValue(one as Parameter)),
    );
    expect(values.some((value) => value !== undefined)).toBe(name !== "no values");
  },
);

it("document and docs show the command that starts a sandbox", async () => {
  const command = `payments-sandbox start --clock manual --seed ${FIXED_SEED} --scenario instant`;
  const document = okBody(await (await openApi()).get<OpenApiDocument>("/openapi.json"));
  expect(document.info.description).toContain(`\`${command}\``);
  expect(pageText("docs/recipes.md")).toContain(command);
});
