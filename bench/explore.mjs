// What `explore` costs: `node bench/explore.mjs [--depth 2] [--lanes N]`. How long the smallest app takes, runs a second, and
// whose time it is, by lanes: each in a process of its own, sandbox and search together, and the app in another.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
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

const { values } = parseArgs({
  options: { depth: { type: "string", default: "2" }, lanes: { type: "string" } },
});

/** One exploration with a sandbox and an app of its own. */
async function measured(flow, lanes) {
  const { createSandbox } = await import("payments-sandbox");
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
    const [from, loop] = [process.cpuUsage(), performance.eventLoopUtilization()];
    const { runs, ms, sentence } = await sandbox.explore(flow, { app, lanes, depth: Number(values.depth) });
    const { user, system } = process.cpuUsage(from);
    const { utilization } = performance.eventLoopUtilization(loop);
    const [ours, theirs] = [(user + system) / 1_000, (await cpuOfApp()) - before];
    const percent = (share) => `${Math.round(100 * share)} %`;
    const [seconds, speed] = [ms / 1_000, runs / (ms / 1_000)];
    const costs = [seconds, speed, ours / runs, theirs / runs].map((figure) => figure.toFixed(1));
    const row = [
      String(lanes),
      String(runs),
      ...costs,
      percent(ours / (ours + theirs)),
      percent(utilization),
    ];
    return { sentence, row };
  } finally {
    child.kill();
    await sandbox.close();
  }
}

/** In a process of its own: what an earlier one has warmed up is not measured. */
async function measuredApart(lanes) {
  const program = fileURLToPath(import.meta.url);
  const flags = ["--depth", values.depth, "--lanes", String(lanes)];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...flags]);
  return JSON.parse(stdout);
}

if (values.lanes === undefined) {
  const measurements = [];
  for (const lanes of LANES) measurements.push(await measuredApart(lanes));
  const head = [
    "lanes",
    "runs",
    "s",
    "runs a second",
    "ms CPU a run: ours",
    "the app's",
    "our share",
    "we are busy",
  ];
  const rows = measurements.map(({ row }) => row);
  console.log(table(measurements.at(-1).sentence, head, rows));
} else {
  const folder = mkdtempSync(join(tmpdir(), "explore-bench-"));
  const flow = join(folder, "smallest.yaml");
  writeFileSync(flow, FLOW);
  try {
    console.log(JSON.stringify(await measured(flow, Number(values.lanes))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
