// `node bench/advance.mjs [--quick] [--postgres URL]`: transitions a second in one advance without receivers, and the heap
// that a lived charge leaves, its events with it. In process; each row in a process of its own.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { machineLine, median, round, runMain, table, whole } from "./report.mjs";
import { ROOT, requireBuild, withFolder } from "./servers.mjs";

const SELF = fileURLToPath(import.meta.url);
const TIMEOUT_MS = 900_000;
const ORDER = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" };
const CUSTOMER = { customer_email: "customer@shop.test", phone_number: "+254700000001" };

const KINDS = {
  /** Each task plans the next; the last posts payment and settlement. */
  paid: {
    by: "1d",
    timeline: [
      { after: "1s", to: "AWAITING_PAYMENT" },
      { after: "2s", to: "PROCESSING" },
      { after: "2s", to: "COMPLETED" },
    ],
  },
  /** All tasks are in the queue at once. */
  expired: { by: "1d", timeline: [] },
  /** Charges created in a hundred batches, a minute apart. */
  year: {
    by: "365d",
    batches: 100,
    timeline: [
      { after: "6h", to: "AWAITING_PAYMENT" },
      { after: "6h", to: "PROCESSING" },
      { after: "150d", to: "COMPLETED" },
      { after: "200d", to: "REFUNDED" },
    ],
  },
};
const tasksPerCharge = ({ timeline }) => Math.max(1, timeline.length);

const FULL = [
  ["paid", 9_999, 9],
  ["paid", 99_999, 3],
  ["paid", 99_999, 3, "--data"],
  ["expired", 1_000_000, 1],
  ["year", 40_000, 3],
];
const QUICK = [
  ["paid", 9_999, 1],
  ["paid", 9_999, 1, "--data"],
];

async function fill(createSandbox, { timeline, batches = 1 }, charges, data) {
  const sandbox = await createSandbox({
    clock: "manual",
    startTime: "2026-01-31T09:00:00.000Z",
    seed: "bench",
    data,
  });
  const call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
    const response = await sandbox.fetch(
      new Request(`http://sandbox${path}`, { method, headers, body: JSON.stringify(body) }),
    );
    if (response.status !== 200)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  await call("PUT", "/_sandbox/scenarios/bench", { charges: [{ timeline }] });
  for (let batch = 0; batch < batches; batch++) {
    const { quote_id } = await call("POST", "/api/v1/payments/quotes", ORDER);
    const body = {
      ...ORDER,
      ...CUSTOMER,
      quote_id,
      expires_in_minutes: 1_440,
      metadata: { sandbox_scenario: "bench" },
    };
    for (let made = 0; made < charges / batches; made++)
      await call("POST", "/api/v1/payments/whitelabel", body);
    if (batches > 1) await sandbox.advance("1m");
  }
  return sandbox;
}

/** Runs in a process of its own: milliseconds of each round, and bytes of heap a charge. */
async function measure(kind, tasks, rounds, data) {
  const { createSandbox } = await import(pathToFileURL(join(ROOT, "dist", "index.js")).href);
  await withFolder(async (folder) => {
    let stores = 0;
    const once = async (due) => {
      const file =
        data === "--data"
          ? join(folder, `${stores++}.json`)
          : data && `${data}?schema=bench_${process.pid}_${stores++}`;
      const heapBefore = await heapBytes();
      const charges = due / tasksPerCharge(KINDS[kind]);
      const sandbox = await fill(createSandbox, KINDS[kind], charges, file);
      const beginMs = performance.now();
      const { fired_total } = await sandbox.advance(KINDS[kind].by);
      const ms = performance.now() - beginMs;
      if (fired_total !== due) throw new Error(`${fired_total} tasks fired, not ${due}`);
      const bytes = ((await heapBytes()) - heapBefore) / charges;
      await sandbox.close();
      return { ms, bytes };
    };
    // Compiles and optimizes the code before the measurement.
    for (let turn = 0; turn < 3; turn++) await once(tasksPerCharge(KINDS[kind]) * 2_000);
    const found = [];
    for (let turn = 0; turn < rounds; turn++) found.push(await once(tasks));
    const peakMb = process.resourceUsage().maxRSS / 1_024;
    console.log(
      JSON.stringify({
        ms: found.map(({ ms }) => ms),
        bytes: median(found.map(({ bytes }) => bytes)),
        peakMb,
      }),
    );
  });
}

async function heapBytes() {
  setFlagsFromString("--expose-gc");
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    runInNewContext("gc")();
  }
  return process.memoryUsage().heapUsed;
}

/** Measures one row in a new process. `root` is the build. */
export function advanceApart([kind, tasks, rounds, data = ""], root = ROOT) {
  const args = ["--max-old-space-size=8192", SELF, "one", kind, `${tasks}`, `${rounds}`, data];
  const env = { ...process.env, BENCH_ROOT: root };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    env,
  });
  if (status !== 0) throw new Error(`${kind} ${tasks} ended with ${status}: ${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}

async function main() {
  const options = { quick: { type: "boolean", default: false }, postgres: { type: "string" } };
  const { quick, postgres } = parseArgs({ options }).values;
  requireBuild();
  console.log(machineLine());
  const plan = [
    ...(quick ? QUICK : FULL),
    ...(postgres === undefined ? [] : [["paid", quick ? 2_997 : 9_999, 1, postgres]]),
  ];
  const rows = plan.map((row) => {
    const [kind, tasks, , data] = row;
    const { ms, bytes, peakMb } = advanceApart(row);
    const [middle, best] = [median(ms), Math.min(...ms)];
    const name = data === undefined ? kind : `${kind}, ${data.startsWith("--") ? data : "PostgreSQL"}`;
    const rates = [middle, best].map((value) => whole((tasks / value) * 1_000));
    return [name, whole(tasks), round(middle), ...rates, whole(bytes), round(peakMb)];
  });
  const head = ["charges", "transitions", "ms", "a second", "best", "B a charge", "peak MB"];
  console.log(table("One advance without receivers: medians", head, rows));
}

if (process.argv[1] === SELF) {
  const [mode, kind, tasks, rounds, data] = process.argv.slice(2);
  runMain(mode === "one" ? () => measure(kind, Number(tasks), Number(rounds), data || undefined) : main);
}
