// What `explore` costs: `node bench/explore.mjs [--depth 2]`. Runs a second by lanes, for the smallest app, and whose CPU
// time it is: the app is a process of its own, the sandbox and the search are this one.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { table } from "./table.mjs";

const LANES = [1, 2, 4, 8];
const FLOW = `name: smallest
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { id: "\${order}", email: "\${email}" }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid } }
observe:
  - app: GET /orders/\${order}
    ignore: [charge_id]
tick:
  - app: POST /tick
`;

const { values } = parseArgs({ options: { depth: { type: "string", default: "2" } } });
const { createSandbox } = await import("payments-sandbox");
const folder = mkdtempSync(join(tmpdir(), "explore-bench-"));
const flow = join(folder, "smallest.yaml");
writeFileSync(flow, FLOW);

/** One exploration with a sandbox and an app of its own. */
async function measured(lanes) {
  const sandbox = await createSandbox({ clock: "manual", rateLimit: "off" });
  const { url } = await sandbox.listen();
  const program = fileURLToPath(new URL("explore-app.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, url, sandbox.apiKey], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const app = await new Promise((resolve) =>
      child.stdout.once("data", (text) => resolve(String(text).trim())),
    );
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
    const cpuOfApp = async () => (await fetch(`${app}/cpu`)).json();
    const before = await cpuOfApp();
    const from = process.cpuUsage();
    const { runs, ms, sentence } = await sandbox.explore(flow, { app, lanes, depth: Number(values.depth) });
    const { user, system } = process.cpuUsage(from);
    const [ours, theirs] = [(user + system) / 1_000, (await cpuOfApp()) - before];
    const share = `${Math.round((100 * ours) / (ours + theirs))} %`;
    const figures = [
      runs,
      (runs / (ms / 1_000)).toFixed(1),
      (ours / runs).toFixed(1),
      (theirs / runs).toFixed(1),
    ];
    return { sentence, row: [String(lanes), ...figures.map(String), share] };
  } finally {
    child.kill();
    await sandbox.close();
  }
}

try {
  const rows = [];
  let said = "";
  for (const lanes of LANES) {
    const { sentence, row } = await measured(lanes);
    rows.push(row);
    said = sentence;
  }
  const head = ["lanes", "runs", "runs a second", "ms CPU a run: ours", "the app's", "our share"];
  console.log(table(said, head, rows));
} finally {
  rmSync(folder, { recursive: true });
}
