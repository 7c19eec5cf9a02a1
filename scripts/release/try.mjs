// What is in release/, tried as strangers try it: from an empty folder, with nothing but what the way needs. Prints how
// long each way takes to a paid charge and its webhook, and what the commands of the binary that runs here do with no
// Node in sight. node scripts/release/try.mjs, after npm run release; ends with 1 where one of them fails.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const release = process.argv[2] ?? join(root, "release");
const home = mkdtempSync(join(tmpdir(), "payments-sandbox-try-"));
const children = new Set();
let failed = 0;

/** What a shell has besides Node. */
const TOOLS = ["sh", "env", "cat", "curl", "tar", "gzip"];
const found = (program) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
const withoutNode = join(home, "tools");
mkdirSync(withoutNode);
for (const tool of TOOLS) if (found(tool)) symlinkSync(found(tool), join(withoutNode, tool));

/** Where Python itself is: a version manager's stand-in needs a shell and its own folders. */
const python =
  found("python3") &&
  execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();

const released = (pattern) => {
  const name = readdirSync(release).find((one) => pattern.test(one));
  if (name === undefined) throw new Error(`${release} has nothing like ${pattern}: npm run release`);
  return join(release, name);
};

/** A command line in a folder of its own, or that of an earlier one; what it printed, and with which code it ended. */
function shell(line, { folder = mkdtempSync(join(home, "empty-")), path = process.env.PATH, env = {} } = {}) {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { HOME: home, PATH: path, ...env }, timeout: 300_000 };
    const child = execFile("/bin/sh", ["-c", line], options, (error, stdout, stderr) =>
      resolve({ folder, code: error === null ? 0 : (error.code ?? 1), text: stdout + stderr }),
    );
    child.stdin.end();
  });
}

async function check(name, expected, work) {
  const from = performance.now();
  const { code, text } = await work();
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  const isFine = code === expected.code && expected.says.test(text);
  if (!isFine) failed++;
  process.stdout.write(`${isFine ? "ok    " : "FAILED"} ${seconds.padStart(6)} s  ${name}\n`);
  if (!isFine) process.stdout.write(`${text.replace(/^/gm, "         ")}\n         exit code ${code}\n`);
}

/** A child that says where it listens in its first line. */
async function listening(command, args, env) {
  const child = spawn(command, args, { cwd: home, env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const ended = once(child, "close").then(([code]) =>
    Promise.reject(new Error(`${command} ended with ${code}`)),
  );
  ended.catch(() => {});
  const [first] = await Promise.race([once(child.stdout, "data"), ended]);
  return String(first).split("\n")[0];
}

const PAID = { code: 0, says: /COMPLETED/ };

async function firstSuccesses(binaryFolder) {
  const tgz = released(/^payments-sandbox-.*\.tgz$/);
  const file = released(/^payments-sandbox\.mjs$/);
  await check("Node and a project: npm install, npx payments-sandbox demo", PAID, () =>
    shell(
      `npm init -y >/dev/null && npm install --no-audit --no-fund ${tgz} >/dev/null && npx payments-sandbox demo`,
    ),
  );
  for (const [program, line] of [
    ["node", "node"],
    ["bun", "bun"],
    ["deno", "deno run -A"],
  ])
    if (found(program))
      await check(`one file: ${line} payments-sandbox.mjs demo`, PAID, () =>
        shell(`cp ${file} . && ${line} payments-sandbox.mjs demo`),
      );
  await check("binary: ./payments-sandbox demo", PAID, async () => {
    const archive = released(/-linux-x64\.tar\.gz$/);
    return shell(`tar -xzf ${archive} && ./payments-sandbox demo`, {
      folder: binaryFolder,
      path: withoutNode,
    });
  });
}

/** The flow that docs/explore.md shows, against the shop of the suite that is written in Python: right, and with a fault. */
async function commandsOfBinary(folder) {
  const binary = join(folder, "payments-sandbox");
  const ours = (line, expected) =>
    check(`binary: ${line}`, expected, () =>
      shell(`./payments-sandbox ${line}`, { folder, path: withoutNode }),
    );
  await ours("guide", { code: 0, says: /webhook/ });
  await ours("run card scenarios/flow_refund.yaml", { code: 0, says: /2 of 2 scenarios passed/ });
  await ours("exec -- sh -c 'curl -sS $PAYMENTS_BASE_URL/health'", { code: 0, says: /"ok"/ });
  if (python === undefined) return;
  writeFileSync(
    join(folder, "order.yaml"),
    /<!-- flow: .* -->\n```yaml\n(.*?)```/s.exec(readFileSync(join(root, "docs/explore.md"), "utf8"))[1],
  );
  const env = { HOME: home, PATH: withoutNode };
  for (const [kind, expected] of [
    ["right", { code: 0, says: /depth 1 complete/ }],
    ["acts_twice", { code: 1, says: /✗/ }],
  ]) {
    const ready = JSON.parse(await listening(binary, ["start", "--json", "--port", "0"], env));
    const app = {
      ...env,
      PAYMENTS_BASE_URL: ready.url,
      PAYMENTS_API_KEY: ready.api_key,
      PAYMENTS_WEBHOOK_SECRET: ready.webhook_secret,
    };
    const shop = `http://127.0.0.1:${await listening(python, [join(root, "test/corpus/shop.py"), kind], app)}`;
    await ours(`webhook add ${shop}/webhooks --url ${ready.url}`, { code: 0, says: /./ });
    await ours(`explore order.yaml --depth 1 --url ${ready.url} --app ${shop} --save ${kind}`, expected);
    await ours(`check-webhook ${shop}/webhooks`, { code: 0, says: /PASSED/ });
  }
}

try {
  const folder = mkdtempSync(join(home, "binary-"));
  await firstSuccesses(folder);
  if (process.platform === "linux" && process.arch === "x64") await commandsOfBinary(folder);
} finally {
  for (const child of children) child.kill();
  rmSync(home, { recursive: true, force: true });
}
if (failed > 0) process.exitCode = 1;
