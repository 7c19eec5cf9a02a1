import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, rolldown } from "rolldown";
import { describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { openApi } from "../support/api-client.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Output of `payments-sandbox openapi`. */
async function printed(...argv: string[]): Promise<string> {
  let text = "";
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    await main(["node", "payments-sandbox", "openapi", ...argv]);
  } finally {
    vi.restoreAllMocks();
  }
  return text;
}

/** Returns the files that entry points load at start, and all that they can load. */
async function readAtStart(input: string[]): Promise<{ read: Set<string>; known: string[] }> {
  const bundle = await rolldown({
    cwd: ROOT,
    input,
    platform: "node",
    external: /^[^./]/,
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  const modulesOf = ({ moduleIds }: OutputChunk) => moduleIds.map((id) => relative(ROOT, id));
  const read = new Set<string>();
  const follow = (chunk: OutputChunk): void => {
    for (const file of modulesOf(chunk)) read.add(file);
    const imported = chunks.filter(({ fileName }) => chunk.imports.includes(fileName));
    for (const one of imported) if (!modulesOf(one).every((file) => read.has(file))) follow(one);
  };
  for (const chunk of chunks) if (chunk.isEntry) follow(chunk);
  return { read, known: chunks.flatMap(modulesOf) };
}

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
      /openapi|service-responses\.ts|schema\/responses\/|pages\/reference\/(?!reference-routes)/.test(file),
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
