import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { MANIFEST } from "./support/packed.js";

const ofRelease = (file: string) => import(join(ROOT, "scripts/release", file));
const { BINARIES } = await ofRelease("binaries.mjs");
const { billOfMaterials, bundledPackages, isWrittenUp, notesOf, sumsOf } = await ofRelease("describe.mjs");

const CHANGELOG = "# Changelog\n\nWords.\n\n## 0.2.0\n\n### Added\n- This.\n\n## 0.1.0\n\n- That.\n";

it("release notes are the newest section of the changelog", () => {
  expect(notesOf(CHANGELOG, "0.2.0")).toBe("# payments-sandbox 0.2.0\n\n### Added\n- This.\n\n");
  expect([isWrittenUp(CHANGELOG, "0.2.0"), isWrittenUp(CHANGELOG, "0.3.0")]).toEqual([true, false]);
});

it("the changelog has one entry until there is a release", () => {
  const ours = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  expect([...ours.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(["0.1.0"]);
  expect(notesOf(ours, MANIFEST.version)).toBe("# payments-sandbox 0.1.0\n\nFirst release.\n");
});

it("a release without repository URLs is refused", () => {
  const folder = temporaryFolder();
  for (const name of ["scripts", "CHANGELOG.md"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const manifest = { version: MANIFEST.version, homepage: "https://example.com" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const { status, stderr } = spawnSync(process.execPath, ["scripts/release.mjs"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      "release: package.json has no repository, bugs: set them to the code host's addresses, and commit\n",
  });
});

it("the checksums of a release match its files", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "b"), "abc");
  writeFileSync(join(folder, "a"), "");
  expect(sumsOf(folder, ["b", "a"])).toBe(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n" +
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n",
  );
});

it("the bill of materials lists every bundled package with its licence", () => {
  const packages: { name: string }[] = bundledPackages(ROOT);
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(["hono", "zod", "decimal.js"]));
  const runtimes = Object.fromEntries(
    BINARIES.map(({ system, runtime }: Record<string, string>) => [system, runtime]),
  );
  const bill = billOfMaterials({ version: "1.2.3", license: "MIT" }, packages, runtimes);
  const { components, dependencies } = JSON.parse(JSON.stringify(bill));
  expect(components).toHaveLength(packages.length + 4);
  expect(dependencies[0].dependsOn).toHaveLength(packages.length);
  for (const one of components)
    if (one.type === "library")
      expect(one).toMatchObject({
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      });
    else expect(one).toMatchObject({ type: "platform", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

it("the version of a release is the same in all places", () => {
  const pyproject = readFileSync(join(ROOT, "python/pyproject.toml"), "utf8");
  expect(/^version\s*=\s*"([^"]+)"$/m.exec(pyproject)?.[1]).toBe(MANIFEST.version);
});
