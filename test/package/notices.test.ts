import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { ROOT } from "../support/process-command.js";

/** Returns the packages whose code the build includes. */
async function bundledPackages(): Promise<string[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: ["src/cli/main.ts", "src/library/index.ts", "src/testing/index.ts"],
    platform: "node",
    external: ["vitest"],
    logLevel: "silent",
  });
  try {
    const { output } = await bundle.generate();
    const modules = output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
    const names = modules.map((id) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]);
    return [...new Set(names.filter((name) => name !== undefined))]
      .map((name) => name.replace("\\", "/"))
      .sort();
  } finally {
    await bundle.close();
  }
}

function notice(name: string): string {
  const folder = join(ROOT, "node_modules", name);
  const { license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder);
  const file = files.find((one) => /^licen[cs]e(\.md|\.txt)?$/i.test(one));
  const content = readFileSync(join(folder, file ?? "README.md"), "utf8").replaceAll("\r\n", "\n");
  // Without a licence file, the README ends with the licence.
  const text = (file === undefined ? content.split(/^## license$/im)[1]! : content).trim();
  expect([name, text]).toEqual([name, expect.any(String)]);
  return `## ${name} (${license})\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}

// Update with: npx vitest run test/package/notices.test.ts -u
it("THIRD-PARTY.md has the licence of every bundled package", async () => {
  const names = await bundledPackages();
  expect(names.length).toBeGreaterThan(5);
  const head = "# Third-party notices\n\nThe package contains code of these, each under its own licence.\n";
  await expect([head, ...names.map(notice)].join("\n")).toMatchFileSnapshot(join(ROOT, "THIRD-PARTY.md"));
});
