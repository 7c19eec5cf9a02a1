// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files contain ${}
// `node bench/explore.mjs [--depth 2] [--lanes N] [--hosts] [--quick]`: runs a second of `explore` by lanes, and whose CPU time
// a run takes. The app is examples/express-shop; each row has a process of its own. Then one shop as functions of this process
// and as a process, explored in turns.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openShop } from "./function-shop.mjs";
import { machineLine, median, round, runMain, table } from "./report.mjs";
import { cpuMs, requireBuild, start, withFolder } from "./servers.mjs";

const LANES = ["1", "2", "4", "8"];
const APP = fileURLToPath(new URL("../examples/express-shop/src/server.js", import.meta.url));
const FLOW = `name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { number: "\${order}", phone: "+254700000001", email: "\${email}" }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid, shipments: 1 } }
observe:
  - app: GET /orders/\${order}
tick:
  - app: POST /orders/\${order}/refresh
`;

/** One exploration in this process. */
async function measure(depth, lanes) {
  const { createSandbox } = await import("payments-sandbox");
  return withFolder(async (folder) => {
    const flow = join(folder, "flow.yaml");
    writeFileSync(flow, FLOW);
    const sandbox = await createSandbox({ clock: "manual", rateLimit: "off" });
    const { url: PAYMENTS_BASE_URL } = await sandbox.listen();
    const { apiKey: PAYMENTS_API_KEY, webhookSecret: PAYMENTS_WEBHOOK_SECRET } = sandbox;
    const env = { PORT: "0", PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET };
    const server = await start({ name: "the shop", args: [APP] }, { cwd: folder, env });
    const app = `http://127.0.0.1:${server.port}`;
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
    const [ownBefore, appBefore] = [cpuMs(process.pid), cpuMs(server.pid)];
    const { runs, ms, sentence } = await sandbox.explore(flow, { app, lanes, depth, throws: false });
    const [own, others] = [cpuMs(process.pid) - ownBefore, cpuMs(server.pid) - appBefore];
    await sandbox.close();
    const figures = [ms / 1_000, (runs * 1_000) / ms, own / runs, others / runs].map((value) =>
      round(value, 1),
    );
    return { sentence, row: [lanes, runs, ...figures, `${round((100 * own) / (own + others))} %`] };
  });
}

const SHOP = fileURLToPath(new URL("function-shop.mjs", import.meta.url));
const ORDER = `name: order
vars: { email: "qa+\${run.id}@shop.test" }
steps:
  - app: POST /orders
    body: { order: "\${run.id}", email: "\${email}" }
  - advance: 10s
observe:
  - app: GET /orders/\${run.id}
`;

/** CPU time and wall time of one exploration, by set and by run of the flow. */
async function timed(explore, pids) {
  const before = pids.map(cpuMs);
  const sinceMs = performance.now();
  const { runs, findings, profile } = await explore();
  const wallMs = performance.now() - sinceMs;
  if (findings.length > 0) throw new Error(`the right shop is accused: ${findings[0].message}`);
  const [own, app = 0] = pids.map((pid, index) => cpuMs(pid) - before[index]);
  return { sets: runs, runs: profile.runs, wallMs, own, app };
}

/** Explores one shop as functions and as a process, in turns; as many turns before them warm up. */
async function compareHosts(turns) {
  const { createSandbox } = await import("payments-sandbox");
  const options = { clock: "manual", rateLimit: "off" };
  return withFolder(async (folder) => {
    const [inProcess, served] = [await createSandbox(options), await createSandbox(options)];
    const { apiKey, webhookSecret } = inProcess;
    const send = (path, init) => inProcess.fetch(path, init);
    const shop = openShop({ send, apiKey, webhookSecret });
    await inProcess.onWebhook(async (request) =>
      shop.receive(await request.text(), Object.fromEntries(request.headers)),
    );
    const flow = {
      name: "order",
      see: { order: ({ id }) => shop.show(id) },
      async flow({ id, email, press, advance }) {
        await press("order", () => shop.place(id, email));
        await advance("10s");
      },
    };
    const file = join(folder, "order.yaml");
    writeFileSync(file, ORDER);
    const { url: PAYMENTS_BASE_URL } = await served.listen();
    const env = { PAYMENTS_BASE_URL, PAYMENTS_API_KEY: apiKey, PAYMENTS_WEBHOOK_SECRET: webhookSecret };
    const server = await start({ name: "the shop", args: [SHOP] }, { cwd: folder, env });
    const app = `http://127.0.0.1:${server.port}`;
    await served.control("POST", "/_sandbox/webhook-endpoints", { url: `${app}/webhooks` });
    const report = { throws: false, profile: true };
    const found = [[], []];
    for (let turn = 0; turn < 2 * turns; turn++) {
      found[0].push(await timed(() => inProcess.explore(flow, report), [process.pid]));
      const explore = () => served.explore(file, { ...report, app, lanes: 1 });
      found[1].push(await timed(explore, [process.pid, server.pid]));
    }
    await Promise.all([inProcess.close(), served.close()]);
    const mid = (all, value) => median(all.slice(turns).map(value));
    return ["in process", "a process, one lane"].map((name, index) => {
      const all = found[index];
      return [
        name,
        all[0].sets,
        round(
          mid(all, ({ sets, wallMs }) => (sets * 1_000) / wallMs),
          0,
        ),
        round(
          mid(all, ({ own, sets }) => own / sets),
          1,
        ),
        round(
          mid(all, ({ app, sets }) => app / sets),
          1,
        ),
        index === 0
          ? round(
              mid(all, ({ own, runs }) => own / runs),
              1,
            )
          : "",
        index === 0
          ? round(
              mid(all, ({ runs, wallMs }) => (runs * 1_000) / wallMs),
              0,
            )
          : "",
      ];
    });
  });
}

runMain(async () => {
  const options = {
    depth: { type: "string", default: "2" },
    lanes: { type: "string" },
    hosts: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  };
  const { depth, lanes, hosts, quick } = parseArgs({ options }).values;
  requireBuild();
  if (lanes !== undefined) return console.log(JSON.stringify(await measure(Number(depth), Number(lanes))));
  console.log(machineLine());
  if (!hosts) printLanes(quick ? ["4"] : LANES, quick ? "1" : depth);
  const head = [
    "",
    "sets",
    "sets a second",
    "ms CPU a set: ours",
    "the app's",
    "ms CPU a run",
    "runs a second",
  ];
  console.log(table("One shop, depth 1, in turns", head, await compareHosts(quick ? 1 : 5)));
});

function printLanes(lanes, depth) {
  const found = lanes.map((count) => {
    const args = [fileURLToPath(import.meta.url), "--depth", depth, "--lanes", count];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  });
  const head = ["lanes", "runs", "s", "runs a second", "ms CPU a run: ours", "the app's", "our share"];
  const rows = found.map(({ row }) => row);
  console.log(table(found.at(-1).sentence, head, rows));
}
