// Style sheets and scripts of the pages: `NAME.css` after `base.css`, and `NAME.browser.ts` with what it imports, minified.
// The build writes them, and so does each run of the tests; pages read them when they are first asked for.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** @param {string} root the package's folder; writes dist/pages.json there, in one step */
export async function writePageAssets(root) {
  const folders = readdirSync(join(root, "src/pages"), { withFileTypes: true }).filter((one) =>
    one.isDirectory(),
  );
  const entries = await Promise.all(folders.map(async ({ name }) => [name, await assetsOf(root, name)]));
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  const draft = join(dist, `pages.json.${process.pid}`);
  writeFileSync(draft, JSON.stringify(Object.fromEntries(entries)));
  renameSync(draft, join(dist, "pages.json"));
}

async function assetsOf(root, name) {
  const folder = join(root, "src/pages");
  const sheets = [join(folder, "base.css"), join(folder, name, `${name}.css`)];
  const bundled = await rolldown({
    cwd: root,
    input: join(folder, name, `${name}.browser.ts`),
    platform: "browser",
    transform: { target: "es2022" },
    logLevel: "warn",
  });
  const { output } = await bundled.generate({ format: "iife", minify: true });
  await bundled.close();
  return {
    css: sheets.map((file) => minifiedSheet(readFileSync(file, "utf8"))).join(""),
    // A plain end tag of a script would end the one that holds it.
    js: output[0].code.replaceAll("</script", "<\\/script").trim(),
  };
}

function minifiedSheet(text) {
  return text
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/([\w-]): /g, "$1:")
    .replace(/;\}/g, "}")
    .trim();
}
