// What a release says of itself: what changed, what is in it, and the sums of its files.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The newest section of CHANGELOG.md: that of the version, or of what is unreleased where there is none yet. */
export function notesOf(changelog, version) {
  const section = changelog.split(/^## /m)[1];
  return `# payments-sandbox ${version}\n${section.slice(section.indexOf("\n") + 1)}`;
}

/** Whether the newest section is of that version. */
export function isWrittenUp(changelog, version) {
  return changelog.split(/^## /m)[1]?.startsWith(version) === true;
}

/** `SHA256SUMS`, as `sha256sum --check` reads it. */
export function sumsOf(folder, names) {
  return [...names]
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}  ${name}\n`,
    )
    .join("");
}

/** The packages whose code is bundled: those whose notices THIRD-PARTY.md has, with their versions from the lock file. */
export function bundledPackages(root) {
  const notices = readFileSync(join(root, "THIRD-PARTY.md"), "utf8");
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return [...notices.matchAll(/^## (\S+) \(([^)]+)\)$/gm)].map(([, name, license]) => {
    const { version, integrity } = packages[`node_modules/${name}`];
    return { name, version, license, integrity };
  });
}

/** What is in the release, as CycloneDX 1.6; the same bytes for the same sources. */
export function billOfMaterials({ version, license }, packages, runtimes) {
  const component = ({ name, version: its, license: id, integrity }) => ({
    type: "library",
    "bom-ref": purl(name, its),
    name,
    version: its,
    licenses: [{ license: { id } }],
    purl: purl(name, its),
    ...(integrity?.startsWith("sha512-")
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }] }
      : {}),
  });
  const runtime = ([system, name]) => {
    const [what, its] = name.split("@");
    return {
      type: "platform",
      "bom-ref": `runtime:${system}`,
      name: what,
      version: its,
      description: `inside the binary for ${system}`,
    };
  };
  const self = {
    type: "application",
    "bom-ref": purl("payments-sandbox", version),
    name: "payments-sandbox",
    version,
    licenses: [{ license: { id: license } }],
    purl: purl("payments-sandbox", version),
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: self },
    components: [...packages.map(component), ...Object.entries(runtimes).map(runtime)],
    dependencies: [
      { ref: self["bom-ref"], dependsOn: packages.map(({ name, version: its }) => purl(name, its)) },
    ],
  };
}

const purl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
