// What the library costs inside a test process: `node bench/library.mjs [--json FILE]`. Each row is the median over
// processes of their own; nothing but the built package is loaded there.
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { machine, machineLine } from "./report.mjs";
import { ROOT } from "./servers.mjs";
import { median } from "./stats.mjs";
import { table } from "./table.mjs";

const ROUNDS = 7;
const SANDBOXES = 1_000;

/** What one process measures: loads the package as it is told, then makes sandboxes. */
const MEASURE = `
const ms = async (work) => { const from = performance.now(); await work(); return performance.now() - from; };
const each = async (count, work) => (await ms(async () => { for (let i = 0; i < count; i++) await work(); })) / count;
const found = {};
let library;
// What a test process has loaded anyway: Node loads its fetch when somebody first asks for it.
new Request("http://sandbox/");
await fetch("data:text/plain,").then((response) => response.text());
found.load = await ms(async () => { library = await load(); });
const { createSandbox } = library;
const options = { clock: "manual" };
const path = "/api/v1/payments/supported-currencies";
let sandbox;
found.create = await ms(async () => { sandbox = await createSandbox(options); });
found.request = await ms(async () => { await (await sandbox.fetch(path)).text(); });
await sandbox.close();
found.inMemory = await each(200, async () => { await (await createSandbox(options)).close(); });
found.listening = await each(100, async () => {
  const one = await createSandbox(options);
  await one.listen();
  await one.close();
});
found.used = await each(100, async () => {
  const one = await createSandbox(options);
  await (await one.fetch(path)).text();
  await one.close();
});
const kept = await createSandbox(options);
found.reset = await each(200, () => kept.reset());
gc();
const before = process.memoryUsage().heapUsed;
const all = [];
for (let i = 0; i < ${SANDBOXES}; i++) all.push(await createSandbox(options));
gc();
found.memoryMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
for (const one of [...all, kept]) await one.close();
console.log(JSON.stringify(found));
`;

const LOADS = {
  import: `const load = () => import("payments-sandbox");`,
  require: `import { createRequire } from "node:module";
const load = () => createRequire(${JSON.stringify(join(ROOT, "package.json"))})("payments-sandbox");`,
};

const ROWS = [
  ["load", "load the package, ms"],
  ["create", "first createSandbox(), ms"],
  ["request", "first request, ms"],
  ["inMemory", "createSandbox() and close(), ms"],
  ["used", "createSandbox(), a request, close(), ms"],
  ["listening", "createSandbox(), listen() and close(), ms"],
  ["reset", "reset(), ms"],
  ["memoryMb", `${SANDBOXES} sandboxes, MB of heap`],
];

async function measure(load) {
  const args = ["--expose-gc", "--input-type=module", "-e", load + MEASURE];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout);
}

async function main() {
  const { values: flags } = parseArgs({ options: { json: { type: "string" } } });
  if (!existsSync(join(ROOT, "dist", "index.cjs")))
    throw new Error("there is no dist/index.cjs: npm run build");
  const report = { machine: machine(undefined) };
  process.stdout.write(`${machineLine(report.machine)}\n`);
  const rounds = { import: [], require: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, load] of Object.entries(LOADS)) {
      const found = await measure(load);
      // The first round brings the files into the system's cache.
      if (round > 0) rounds[name].push(found);
    }
  report.library = Object.fromEntries(
    Object.entries(rounds).map(([name, all]) => [
      name,
      Object.fromEntries(ROWS.map(([field]) => [field, median(all.map((one) => one[field]))])),
    ]),
  );
  const rows = ROWS.map(([field, title]) => [
    title,
    report.library.import[field].toFixed(2),
    report.library.require[field].toFixed(2),
  ]);
  process.stdout.write(table("The library in a test process", ["", "import", "require"], rows));
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
}

main().catch((error) => {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
});
