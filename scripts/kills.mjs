// npm run kills: kills the sandbox under load, as one process with a file and as three with a PostgreSQL, and writes into
// README.md how often, if nothing was lost. `--rounds 100`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { rounds: { type: "string", default: "100" } } });
const { rounds } = values;

const vitest = join(root, "node_modules/vitest/vitest.mjs");
const line = [vitest, "run", "test/kills", "test/postgres/kills.test.ts"];
const env = { ...process.env, PAYMENTS_SANDBOX_KILLS: rounds, PAYMENTS_SANDBOX_ROUNDS: rounds };
const { status, stdout } = spawnSync(process.execPath, line, {
  cwd: root,
  env,
  stdio: ["ignore", "pipe", "inherit"],
  encoding: "utf8",
});
process.stdout.write(stdout);
if (status !== 0) process.exit(1);
if (/\bskipped\b/.test(stdout)) {
  process.stderr.write("kills: a test was skipped, for there is no PostgreSQL\n");
  process.exit(1);
}
const sentence =
  `- Killed ${rounds} times under load with a data file, and ${rounds} times killed, paused or restarted as three processes with a ` +
  "PostgreSQL, it lost no change that it had acknowledged.\n";
const page = join(root, "README.md");
const text = readFileSync(page, "utf8");
writeFileSync(page, text.replace(/(<!-- kills -->\n)[\s\S]*?(<!-- \/kills -->)/, `$1${sentence}$2`));
