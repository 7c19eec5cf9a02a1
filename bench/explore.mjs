// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
// What `explore` costs: `node bench/explore.mjs [--depth 2] [--app smallest|express] [--lanes N]`. How long an app takes, runs
// a second, and whose time it is, by lanes: each in a process of its own, sandbox and search together, and the app in
// another. The apps: the smallest there can be, and the shop of examples/express-shop.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { table } from "./table.mjs";

const LANES = [1, 2, 4, 8];
const flowOf = (body, expected, ignore, tick) => `name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { ${body}, email: "\${email}" }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { ${expected} } }
observe:
  - { app: "GET /orders/\${order}", ignore: [${ignore}] }
tick:
  - app: POST ${tick}
`;

/** Each program is told of its sandbox by its environment and says its port. */
const APPS = {
  smallest: {
    program: "explore-app.mjs",
    flow: flowOf('id: "${order}"', "status: paid", "charge_id", "/tick"),
  },
  express: {
    program: "../examples/express-shop/src/server.js",
    flow: flowOf(
      'number: "${order}", phone: "+254700000001"',
      "status: paid, shipments: 1",
      "",
      "/orders/${order}/refresh",
    ),
  },
};

const { values } = parseArgs({
  options: {
    depth: { type: "string", default: "2" },
    app: { type: "string" },
    lanes: { type: "string" },
  },
});

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

/** One exploration with a sandbox and an app of its own. */
async function measured(name, flow, lanes) {
  const { createSandbox } = await import("payments-sandbox");
  const sandbox = await createSandbox({ clock: "manual", rateLimit: "off" });
  const { url } = await sandbox.listen();
  const child = spawn(
    process.execPath,
    ["--import", new URL("explore-work.mjs", import.meta.url).href, pathOf(APPS[name].program)],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        PORT: "0",
        PAYMENTS_BASE_URL: url,
        PAYMENTS_API_KEY: sandbox.apiKey,
        PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
      },
    },
  );
  try {
    const said = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text))));
    const app = `http://127.0.0.1:${/(\d+)\s*$/.exec(said)[1]}`;
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
    const workOfApp = async () => (await fetch(`${app}/.work`)).json();
    const before = await workOfApp();
    const from = process.cpuUsage();
    const { runs, ms, sentence } = await sandbox.explore(flow, { app, lanes, depth: Number(values.depth) });
    const { user, system } = process.cpuUsage(from);
    const after = await workOfApp();
    const [ours, theirs] = [(user + system) / 1_000, after.cpuMs - before.cpuMs];
    const atWork = (after.workMs - before.workMs) / ms;
    const percent = (share) => `${Math.round(100 * share)} %`;
    const [seconds, speed] = [ms / 1_000, runs / (ms / 1_000)];
    const costs = [seconds, speed, ours / runs, theirs / runs].map((figure) => figure.toFixed(1));
    const shares = [ours / (ours + theirs), 1 - atWork].map(percent);
    return { sentence, row: [name, String(lanes), String(runs), ...costs, ...shares] };
  } finally {
    child.kill();
    await sandbox.close();
  }
}

/** In a process of its own: what an earlier one has warmed up is not measured. */
async function measuredApart(name, lanes) {
  const flags = ["--depth", values.depth, "--app", name, "--lanes", String(lanes)];
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), ...flags]);
  return JSON.parse(stdout);
}

if (values.lanes === undefined || values.app === undefined) {
  const names = values.app === undefined ? Object.keys(APPS) : [values.app];
  const lanes = values.lanes === undefined ? LANES : [Number(values.lanes)];
  const measurements = [];
  for (const name of names) for (const count of lanes) measurements.push(await measuredApart(name, count));
  const head = [
    "app",
    "lanes",
    "runs",
    "s",
    "runs a second",
    "ms CPU a run: ours",
    "the app's",
    "our share of CPU",
    "of the time",
  ];
  const rows = measurements.map(({ row }) => row);
  console.log(table(measurements.at(-1).sentence, head, rows));
} else {
  const folder = mkdtempSync(join(tmpdir(), "explore-bench-"));
  const flow = join(folder, "flow.yaml");
  writeFileSync(flow, APPS[values.app].flow);
  try {
    console.log(JSON.stringify(await measured(values.app, flow, Number(values.lanes))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
