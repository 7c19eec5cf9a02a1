// npm run kills: kills the sandbox under load, as one process with a file and as three with a PostgreSQL, and writes into
// README.md how often, where nothing was lost. `--rounds 100`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { rounds } = readOptions({ rounds: "100" });

const TRIALS = [
  {
    file: "test/kills",
    variable: "PAYMENTS_SANDBOX_KILLS",
    sentence: `- Killed ${rounds} times under load, with a [data file](docs/shared-sandbox.md#keep-the-data), it kept every change that it had acknowledged.`,
  },
  {
    file: "test/postgres/kills.test.ts",
    variable: "PAYMENTS_SANDBOX_ROUNDS",
    sentence: `- Three processes on a [PostgreSQL](docs/shared-sandbox.md#run-several-on-a-database), killed, paused or restarted ${rounds} times under load, kept theirs.`,
  },
];

/** Runs a trial; one that is skipped, because there is no PostgreSQL, has not passed. */
function passes({ file, variable }) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", file],
    {
      cwd: root,
      env: { ...process.env, [variable]: rounds },
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
    },
  );
  process.stdout.write(stdout);
  return status === 0 && !/\bskipped\b/.test(stdout);
}

const passed = TRIALS.filter(passes);
const page = join(root, "README.md");
const lines = passed.map(({ sentence }) => `${sentence}\n`).join("");
const text = readFileSync(page, "utf8");
writeFileSync(page, text.replace(/(<!-- kills -->\n)[\s\S]*?(<!-- \/kills -->)/, `$1${lines}$2`));
if (passed.length < TRIALS.length) process.exitCode = 1;
