import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { vi } from "vitest";
import { main } from "../../src/cli/main.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Output of `payments-sandbox openapi`. */
export async function printed(...argv: string[]): Promise<string> {
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
export async function readAtStart(entryPoints: string[]): Promise<{ read: Set<string>; known: string[] }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
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
    if (entryPoint !== undefined && entryPoints.includes(entryPoint)) follow(output);
  return { read, known: Object.keys(metafile.inputs) };
}
