import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { openApi } from "../support/api-client.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

afterEach(() => vi.restoreAllMocks());

/** What the command prints. */
async function printed(...argv: string[]): Promise<string> {
  let text = "";
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  await main(["node", "payments-sandbox", "openapi", ...argv]);
  vi.restoreAllMocks();
  return text;
}

describe("payments-sandbox openapi", () => {
  it("prints what /openapi.json serves, to be read by people", async () => {
    const text = await printed();
    const served = (await (await openApi()).get<object>("/openapi.json")).body;
    expect(JSON.parse(text)).toEqual({
      ...served,
      servers: [{ url: "http://127.0.0.1:4402", description: "This sandbox" }],
    });
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.0",\n/);
    expect(text.endsWith("}\n")).toBe(true);
  });

  it("names the public address", async () => {
    expect(JSON.parse(await printed("--public-url", "https://pay.shop.test"))).toMatchObject({
      servers: [{ url: "https://pay.shop.test" }],
    });
  });
});

describe("a start", () => {
  it("reads nothing of the document or its page", async () => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ["src/cli/main.ts", "src/cli/start.ts", "src/index.ts"],
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      packages: "external",
      outdir: "unused",
      write: false,
      metafile: true,
    });
    const read = new Set<string>();
    const follow = (output: string): void => {
      const { inputs, imports } = metafile.outputs[output]!;
      for (const input of Object.keys(inputs)) read.add(input);
      for (const { path, kind, external } of imports)
        if (kind === "import-statement" && external !== true) follow(path);
    };
    for (const [output, { entryPoint }] of Object.entries(metafile.outputs))
      if (/^src\/(cli\/(main|start)|index)\.ts$/.test(entryPoint ?? "")) follow(output);
    expect(read).toContain("src/http/app.ts");
    expect([...read].filter((file) => /openapi|responses\.ts|pages\/docs/.test(file))).toEqual([]);
    expect(Object.keys(metafile.inputs)).toContain("src/http/openapi/document.ts");
  });
});
