// Explores right shops that are drawn from a seed, and a copy of each with a planted bug. None of the right ones may be
// accused, and nine bugs of ten must be found:
//
//   npm run right-shops -- [--count 200] [--seed S] [--only N|N-M] [--set TRAIT=VALUE]… [--right] [--plainer] [--flow]
//     [--at-once 4] [--json FILE]
//
// `--right` leaves out the copies. `--plainer` looks for the plainest shop that is accused as well, `--flow` prints the
// flows. It needs a build.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";
import { withSource } from "./source.mjs";

const options = readOptions({
  count: "200",
  seed: "shops",
  only: undefined,
  set: [],
  right: false,
  plainer: false,
  flow: false,
  // Explorations wait for timers half of the time.
  "at-once": "4",
  json: undefined,
});
const MIN_FOUND = 0.9;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [first, last = first] = (options.only ?? `1-${options.count}`).split("-").map(Number);
const given = Object.fromEntries(options.set.map((one) => one.split("=")));
const { createSandbox } = await import(join(root, "dist/index.js"));

const files = { shops: "test/explore/right-shops/index.ts" };
process.exit(await withSource(root, files, ({ shops }) => tryAll(shops)));

/** @returns {Promise<number>} the exit code */
async function tryAll(shops) {
  const begin = performance.now();
  const results = [];
  let next = first;
  const work = async () => {
    while (next <= last) {
      const result = await tryPair(shops, next++);
      results.push(result);
      console.log(linesOf(shops, result).join("\n"));
    }
  };
  await Promise.all(Array.from({ length: Number(options["at-once"]) }, work));
  results.sort((one, other) => one.number - other.number);
  const accused = results.filter(({ right }) => shops.isAccused(right));
  const planted = results.filter((one) => one.planted !== undefined);
  const found = planted.filter(({ missed }) => missed === undefined);
  const { user, system } = process.cpuUsage();
  const explorations = results.length + planted.length;
  const cpuMs = Math.round((user + system) / 1000 / explorations);
  console.log(`accused: ${accused.map(({ number }) => number).join(" ") || "none"}`);
  for (const { number, bug, missed } of planted)
    if (missed !== undefined) console.log(`missed:  ${number} ${bug}: ${missed}`);
  console.log(
    `${results.length} right shops: ${accused.length} accused; ${planted.length} planted bugs: ${found.length} found; ${Math.round((performance.now() - begin) / 1000)} s, ${cpuMs} ms of CPU an exploration`,
  );
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, undefined, 1)}\n`);
  return accused.length > 0 || found.length < planted.length * MIN_FOUND ? 1 : 0;
}

async function tryPair(shops, number) {
  const { traits, bug } = shops.drawPair(options.seed, number, given);
  const right = await shops.exploreShop(createSandbox, traits);
  const plainest =
    options.plainer && shops.isAccused(right) ? await plainestAccused(shops, traits) : undefined;
  if (options.right) return { number, traits, right, plainest };
  const planted = await shops.exploreShop(createSandbox, traits, bug);
  return { number, traits, right, plainest, bug, planted, missed: shops.reasonOfMiss(bug, planted, right) };
}

/** Makes the traits plainer one by one while the shop is still accused. */
async function plainestAccused(shops, traits) {
  for (const plainer of shops.plainerTraits(traits))
    if (shops.isAccused(await shops.exploreShop(createSandbox, plainer)))
      return plainestAccused(shops, plainer);
  return traits;
}

function linesOf(shops, { number, traits, right, plainest, bug, planted, missed }) {
  const accusations = shops.accusationsOf(right).map((line) => `      ${line}`);
  const lines = [
    `${number} ${shops.wordsOf(traits)}`,
    `  ${shops.isAccused(right) ? "✗ accused" : "✓ silent "} ${costText(right)}`,
    ...accusations,
  ];
  if (options.flow) lines.push(shops.flowOf(traits));
  if (plainest !== undefined) lines.push(`      plainest: ${shops.wordsOf(plainest)}`);
  if (planted === undefined) return lines;
  const outcome = missed === undefined ? "✓ found  " : "✗ missed ";
  lines.push(`  ${outcome} ${bug}: ${shops.BUGS[bug].words}  ${costText(planted)}`);
  lines.push(`      ${missed ?? shops.accusationsOf(planted).at(-1)}`);
  return lines;
}

function costText({ runs, ms }) {
  return `${runs} runs, ${(ms / 1000).toFixed(1)} s`;
}
