import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { openApi } from "../support/api-client.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

afterEach(() => vi.restoreAllMocks());

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

describe("payments-sandbox openapi --control", () => {
  it("prints what /_sandbox/openapi.json serves, to be read by people", async () => {
    const text = await printed("--control");
    const served = (await (await openApi()).get<object>("/_sandbox/openapi.json")).body;
    expect(JSON.parse(text)).toEqual({
      ...served,
      servers: [{ url: "http://127.0.0.1:4402", description: "This sandbox" }],
    });
    expect(text).toMatch(/^\{\n {2}"openapi": "3\.1\.0",\n/);
    expect(Object.keys(JSON.parse(await printed()).paths)).not.toContain("/_sandbox");
  });

  it("names the public address", async () => {
    expect(JSON.parse(await printed("--control", "--public-url", "https://pay.shop.test"))).toMatchObject({
      servers: [{ url: "https://pay.shop.test" }],
    });
  });
});

describe("the service's document", () => {
  it("reads nothing of the control API's", async () => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ["src/http/openapi/serve.ts", "src/http/app.ts"],
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
      if (/^src\/http\/(openapi\/serve|app)\.ts$/.test(entryPoint ?? "")) follow(output);
    expect(read).toContain("src/http/control/operations.ts");
    expect([...read].filter((file) => /openapi\/control|control-responses/.test(file))).toEqual([]);
    expect(Object.keys(metafile.inputs)).toContain("src/http/openapi/control/document.ts");
  });
});
