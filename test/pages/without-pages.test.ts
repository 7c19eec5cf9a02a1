import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { ROOT } from "../support/built.js";
import { temporaryFolder } from "../support/folders.js";

/** The first address of each page. */
const ADDRESSES: Readonly<Record<string, string>> = {
  checkout: "/checkout/co_none",
  dashboard: "/_sandbox/dashboard",
  reference: "/docs",
};
const { writePageAssets } = await import(join(ROOT, "scripts/page-assets.mjs"));
type Library = typeof import("../../src/library/index.js");

const TABLE = "src/pages/page-families.ts";

const pages = readdirSync(join(ROOT, "src/pages"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it("each folder of src/pages is a page with an address", () => {
  expect(pages.sort()).toEqual(Object.keys(ADDRESSES).sort());
});

it.each(pages)(
  "without %s, its folder and one line elsewhere, the rest is built and served",
  async (page) => {
    const root = temporaryFolder();
    cpSync(join(ROOT, "src"), join(root, "src"), { recursive: true });
    for (const name of ["fixtures", "scenarios", "node_modules", "package.json"])
      symlinkSync(join(ROOT, name), join(root, name));
    mkdirSync(join(root, "dist"));
    for (const name of readdirSync(join(ROOT, "dist")).filter((one) => /^(openapi|shipped)/.test(one)))
      cpSync(join(ROOT, "dist", name), join(root, "dist", name));
    rmSync(join(root, "src/pages", page), { recursive: true });
    const lines = readFileSync(join(root, TABLE), "utf8").split("\n");
    const left = lines.filter((line) => !line.includes(`/${page}/`));
    expect(lines.length - left.length).toBe(1);
    writeFileSync(join(root, TABLE), left.join("\n"));
    await writePageAssets(root);
    const bundled = await rolldown({
      cwd: root,
      input: "src/library/index.ts",
      external: (id) => !/^[./]|^src/.test(id),
      platform: "node",
      logLevel: "silent",
    });
    await bundled.write({ format: "esm", dir: join(root, "built") });
    await bundled.close();
    const { createSandbox }: Library = await import(pathToFileURL(join(root, "built/index.js")).href);
    await using sandbox = await createSandbox();
    const served: Record<string, boolean> = {};
    for (const [name, address] of Object.entries(ADDRESSES))
      served[name] = (await sandbox.fetch(address)).headers.get("content-type")!.includes("html");
    expect(served).toEqual({ checkout: true, dashboard: true, reference: true, [page]: false });
  },
);
