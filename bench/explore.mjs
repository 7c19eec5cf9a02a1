// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files contain ${}
// `node bench/explore.mjs [--depth 2] [--lanes N] [--quick]`: runs a second of `explore` by lanes, and whose CPU time a run
// takes. The app is examples/express-shop; each row has a process of its own.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machineLine, round, runMain, table } from "./report.mjs";
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

runMain(async () => {
  const options = {
    depth: { type: "string", default: "2" },
    lanes: { type: "string" },
    quick: { type: "boolean", default: false },
  };
  const { depth, lanes, quick } = parseArgs({ options }).values;
  requireBuild();
  if (lanes !== undefined) return console.log(JSON.stringify(await measure(Number(depth), Number(lanes))));
  console.log(machineLine());
  const found = (quick ? ["4"] : LANES).map((count) => {
    const args = [fileURLToPath(import.meta.url), "--depth", quick ? "1" : depth, "--lanes", count];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  });
  const head = ["lanes", "runs", "s", "runs a second", "ms CPU a run: ours", "the app's", "our share"];
  console.log(
    table(
      found.at(-1).sentence,
      head,
      found.map(({ row }) => row),
    ),
  );
});
