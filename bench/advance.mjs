// Time: `node bench/advance.mjs [--quick] [--json FILE]`, about five minutes (--quick: twenty seconds). Transitions a
// second without receivers by the number of tasks that are due, in memory and with `--data`, a year with 10,000 open
// charges in one advance, and a million charges; what a charge is left with on the heap, its events with it.
// In process, by the library; each size in a process of its own, so that none pays for another's memory.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { findCores } from "./cores.mjs";
import { machine, machineLine } from "./report.mjs";
import { ROOT } from "./servers.mjs";
import { median } from "./stats.mjs";
import { table } from "./table.mjs";

const SELF = fileURLToPath(import.meta.url);
const LIMIT_MS = 900_000;
const START = "2026-01-31T09:00:00.000Z";
const PRICING = { base_currency: "KES", amount: "500.00" };

/** Which tasks are due, and how many of them a charge has. */
const KINDS = {
  // Both are planned from the start: so many tasks are in the queue at once.
  started: {
    tasks: 2,
    what: "started, expired",
    by: "1d",
    timeline: [{ after: "1s", to: "AWAITING_PAYMENT" }],
  },
  // Each plans the next; the last posts the payment and its settlement to the ledger.
  paid: {
    tasks: 3,
    what: "started, processed, paid",
    by: "1d",
    timeline: [
      { after: "1s", to: "AWAITING_PAYMENT" },
      { after: "2s", to: "PROCESSING" },
      { after: "2s", to: "COMPLETED" },
    ],
  },
  // Nobody pays: as many charges as there are tasks.
  open: { tasks: 1, what: "expired", by: "1d", timeline: [] },
  year: {
    tasks: 4,
    what: "open all year, 10,000 charges",
    by: "365d",
    timeline: [
      { after: "6h", to: "AWAITING_PAYMENT" },
      { after: "6h", to: "PROCESSING" },
      { after: "150d", to: "COMPLETED" },
      { after: "200d", to: "REFUNDED" },
    ],
  },
};

const FULL = [
  { kind: "started", tasks: 1_000, rounds: 15 },
  { kind: "started", tasks: 10_000, rounds: 9 },
  { kind: "started", tasks: 100_000, rounds: 3 },
  { kind: "started", tasks: 1_000_000, rounds: 1 },
  { kind: "paid", tasks: 999, rounds: 15 },
  { kind: "paid", tasks: 9_999, rounds: 9 },
  { kind: "paid", tasks: 99_999, rounds: 3 },
  { kind: "paid", tasks: 99_999, rounds: 3, onDisk: true },
  { kind: "year", tasks: 40_000, rounds: 3 },
  { kind: "open", tasks: 1_000_000, rounds: 1 },
];
const QUICK = [
  { kind: "started", tasks: 100_000, rounds: 1 },
  { kind: "paid", tasks: 9_999, rounds: 1 },
  { kind: "paid", tasks: 9_999, rounds: 1, onDisk: true },
];

/** A sandbox with so many charges whose time has yet to come. */
async function filled(createSandbox, kind, charges, data) {
  const options = { clock: "manual", startTime: START, seed: "bench" };
  const sandbox = await createSandbox(data === undefined ? options : { ...options, data });
  const call = async (method, path, body) => {
    const request = new Request(`http://sandbox${path}`, {
      method,
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const response = await sandbox.fetch(request);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  await call("PUT", "/_sandbox/scenarios/bench", { charges: [{ timeline: KINDS[kind].timeline }] });
  const order = { pricing: PRICING, payment_method: "mobile_money" };
  // A year's charges are not all made at once: a hundred times, a minute apart.
  const batches = kind === "year" ? 100 : 1;
  for (let batch = 0; batch < batches; batch++) {
    const { quote_id } = await call("POST", "/api/v1/payments/quotes", order);
    for (let made = 0; made < charges / batches; made++)
      await call("POST", "/api/v1/payments/whitelabel", {
        ...order,
        customer_email: "customer@shop.test",
        phone_number: "+254700000001",
        quote_id,
        expires_in_minutes: 1_440,
        metadata: { sandbox_scenario: "bench" },
      });
    if (kind === "year") await sandbox.advance("1m");
  }
  return sandbox;
}

/** In a process of its own: how long the advance takes, round by round. */
async function measure(kind, tasks, rounds, onDisk) {
  const { createSandbox } = await import(pathToFileURL(join(ROOT, "dist", "index.js")).href);
  const folder = onDisk ? mkdtempSync(join(tmpdir(), "payments-sandbox-bench-")) : undefined;
  let files = 0;
  const once = async (due) => {
    const data = folder && join(folder, `${files++}.json`);
    const heapBefore = await heapBytes();
    const charges = due / KINDS[kind].tasks;
    const sandbox = await filled(createSandbox, kind, charges, data);
    const startedMs = performance.now();
    const report = await sandbox.advance(KINDS[kind].by);
    const ms = performance.now() - startedMs;
    if (report.fired_total !== due) throw new Error(`${report.fired_total} tasks fired, not ${due}`);
    const bytesEach = ((await heapBytes()) - heapBefore) / charges;
    await sandbox.close();
    return { ms, bytesEach };
  };
  // Compiled and optimized before anything counts.
  for (let round = 0; round < 3; round++) await once(KINDS[kind].tasks * 2_000);
  const measured = [];
  const bytes = [];
  for (let round = 0; round < rounds; round++) {
    const { ms, bytesEach } = await once(tasks);
    measured.push(ms);
    bytes.push(bytesEach);
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  const peakMb = process.resourceUsage().maxRSS / 1_024;
  process.stdout.write(JSON.stringify({ measured, bytesEach: median(bytes), peakMb }));
}

/** Asked for here and not by whoever starts this: the flag would have to be known there too. */
function collectGarbage() {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** What is alive on the heap, with nothing left of what was closed. */
async function heapBytes() {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Of fewer, what a charge is left with is lost in what else is on the heap. */
const CHARGES_TO_MEASURE = 10_000;

function measureApart({ kind, tasks, rounds, onDisk = false }) {
  const where = onDisk ? "disk" : "memory";
  const args = ["--max-old-space-size=8192", SELF, "one", kind, `${tasks}`, `${rounds}`, where];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: LIMIT_MS,
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`${kind} ${tasks} ended with ${status}: ${stderr.slice(-2_000)}`);
  const { measured, bytesEach, peakMb } = JSON.parse(stdout);
  const ms = median(measured);
  return {
    kind,
    what: onDisk ? `${KINDS[kind].what}, --data` : KINDS[kind].what,
    tasks,
    rounds,
    ms,
    perSecond: (tasks / ms) * 1_000,
    fastestPerSecond: (tasks / Math.min(...measured)) * 1_000,
    bytesEach,
    peakMb,
  };
}

function resultTable(results) {
  const first = (what) => results.find((one) => one.what === what);
  const perTask = ({ ms, tasks }) => (ms * 1_000) / tasks;
  const rows = results.map((one) => [
    one.what,
    one.tasks.toLocaleString("en"),
    one.ms.toFixed(one.ms < 100 ? 1 : 0),
    Math.round(one.perSecond).toLocaleString("en"),
    Math.round(one.fastestPerSecond).toLocaleString("en"),
    perTask(one).toFixed(2),
    (perTask(one) / perTask(first(one.what))).toFixed(2),
    // What n log n would make of the first row's time a task.
    (Math.log2(one.tasks) / Math.log2(first(one.what).tasks)).toFixed(2),
    one.tasks / KINDS[one.kind].tasks < CHARGES_TO_MEASURE ? "" : one.bytesEach.toFixed(0),
    one.peakMb.toFixed(0),
  ]);
  const head = [
    "charges",
    "transitions",
    "ms",
    "a second",
    "best",
    "us each",
    "x",
    "n log n",
    "B a charge",
    "peak MB",
  ];
  return table("One advance without receivers: medians, each size in a process of its own", head, rows);
}

function main() {
  const { values: flags } = parseArgs({
    options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
  });
  if (!existsSync(join(ROOT, "dist", "index.js")))
    throw new Error("there is no dist/index.js: npm run build");
  const where = machine(findCores());
  process.stdout.write(`${machineLine({ ...where, pinned: "no" })}\n`);
  const results = (flags.quick ? QUICK : FULL).map(measureApart);
  process.stdout.write(`${resultTable(results)}\n`);
  if (flags.json !== undefined)
    writeFileSync(flags.json, `${JSON.stringify({ machine: where, results }, null, 2)}\n`);
}

const [mode, kind, tasks, rounds, where] = process.argv.slice(2);
try {
  if (mode === "one") await measure(kind, Number(tasks), Number(rounds), where === "disk");
  else main();
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
}
