import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openApi } from "../support/api-client.js";
import { printed, readAtStart } from "../support/openapi-command.js";

describe.each([
  ["payments-sandbox openapi", [], "/openapi.json"],
  ["payments-sandbox openapi --control", ["--control"], "/_sandbox/openapi.json"],
])("%s", (_command, options, path) => {
  it(`prints the document of ${path}, formatted`, async () => {
    const text = await printed(...options);
    const served = (await (await openApi()).get<object>(path)).body;
    expect(JSON.parse(text)).toEqual({
      ...served,
      servers: [{ url: "http://127.0.0.1:4402", description: "This sandbox" }],
    });
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.0",\n/);
    expect(text.endsWith("}\n")).toBe(true);
  });

  it("prints the document with the public URL", async () => {
    expect(JSON.parse(await printed(...options, "--public-url", "https://pay.shop.test"))).toMatchObject({
      servers: [{ url: "https://pay.shop.test" }],
    });
  });
});

it("start does not load the API document or its page", async () => {
  const { read, known } = await readAtStart(["src/cli/main.ts", "src/cli/start.ts", "src/library/index.ts"]);
  expect(read).toContain("src/server/http/app.ts");
  expect(
    [...read].filter((file) =>
      /openapi|service-responses\.ts|schema\/responses\/|pages\/reference/.test(file),
    ),
  ).toEqual([]);
  expect(known).toContain("src/server/openapi/document.ts");
});

it("start does not load the control API's document or its schemas", async () => {
  const { read, known } = await readAtStart(["src/cli/main.ts", "src/cli/start.ts"]);
  const later =
    /src\/server\/control\/|src\/core\/schema\/(control-requests|fixtures-file|matchers|reversal-requests|scenario-rules)\.ts$/;
  expect([...read].filter((file) => later.test(file))).toEqual([]);
  expect(known.filter((file) => later.test(file)).length).toBeGreaterThan(25);
});

it("the built start command does not load the API document", () => {
  const words = [
    "Locks rate, fees and total",
    "Who will pay.",
    "Number of matching items",
    "no more after it than",
  ];
  const chunks = new URL("../../dist/chunks/", import.meta.url);
  for (const file of readdirSync(chunks)) {
    const text = readFileSync(new URL(file, chunks), "utf8");
    expect([file, words.filter((one) => text.includes(one))]).toEqual([file, []]);
  }
});

it("a running server does not load code that generates documents", async () => {
  const { read, known } = await readAtStart(["src/server/openapi/serve.ts", "src/server/control/app.ts"]);
  expect(read).toContain("src/server/control/operations.ts");
  expect(
    known.filter((file) => /openapi\/(control|described|schemas|service)|control-responses/.test(file)),
  ).toEqual([]);
});
