// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files contain ${}
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { ROOT, run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { freePort } from "../support/servers.js";
import { words } from "../support/words.js";

const APP = join(ROOT, "test/explore/killed/file-shop.mjs");
const FLOW = `
name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { id: "\${order}", email: "\${email}" }
  - advance: 10s
  - app: GET /orders/\${order}
    expect: { body: { status: paid, delivered: 1 } }
observe:
  - app: GET /orders/\${order}
    ignore: [charge]
`;

/** Explores the shop as a process, which is killed in between. */
async function exploreKilled(fault: string, ...more: readonly string[]) {
  const port = await freePort();
  const flags = words`--app 127.0.0.1:${port} --webhook-url 127.0.0.1:${port}/webhooks --kill --depth 1 --json ${more}`;
  const store = join(temporaryFolder(), "orders.json");
  const env = { PORT: String(port), STORE: store, FAULT: fault };
  const { stdout, stderr } = await run(
    words`exec --explore ${fileWith(FLOW)} ${flags} -- ${process.execPath} ${APP}`,
    { env },
  );
  const pids = [...stderr.matchAll(/the app is (\d+)/g)].map(([, pid]) => Number(pid));
  return { report: JSON.parse(stdout), pids };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it.each([
  ["exec --kill -- true", "--kill goes with --explore, which names the flow"],
  ["explore flow.yaml --kill", "unknown option '--kill'"],
])("%s is refused in one line", async (line, message) => {
  const { code, stderr } = await run(line.split(" "));
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

it.each([
  [
    "webhook_twise at charge.completed#1",
    "--only: webhook_twise is no kind of deviation; did you mean webhook_twice?",
  ],
  ["webhook_twice", "--only: webhook_twice needs its place: webhook_twice at PLACE"],
])("explore --only '%s' is refused in one line", async (set, message) => {
  const { code, stderr } = await run(["explore", "flow.yaml", "--app", "127.0.0.1:1", "--only", set]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: `payments-sandbox: ${message}\n` });
});

describe.concurrent("exec --explore --kill", () => {
  it("exec --kill finds nothing in an app that saves before it responds", async () => {
    const { report, pids } = await exploreKilled("");
    expect(report).toMatchObject({ passed: true, complete_depth: 1, findings: [] });
    const kills = report.singles.filter(({ kind }: { kind: string }) => kind === "app_killed");
    expect(kills.map(({ at }: { at: string }) => at)).toEqual([
      "createQuote#1",
      "createWhitelabel#1",
      "charge.awaiting_payment#1",
      "charge.processing#1",
      "charge.completed#1",
    ]);
    expect(pids.length).toBeGreaterThan(kills.length);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.each([
    ["app_killed at charge.completed#1", 1],
    ["app_killed at charge.processing#1", 0],
    ["request_lost at createQuote#1, webhook_twice at charge.completed#1", 0],
  ])("exec --only '%s' runs only that set, with %d findings", async (set, count) => {
    const { report } = await exploreKilled("queue", "--only", set);
    expect(report).toMatchObject({ passed: count === 0, complete_depth: 0, runs: 1, not_tried: [] });
    expect(report.findings).toHaveLength(count);
  });

  it("exec --only refuses a set that does not occur in the runs", async () => {
    const { report } = await exploreKilled("", "--only", "webhook_late at charge.failed#1");
    expect(report.error.message).toContain("webhook_late at charge.failed#1: a run has no such place");
  });

  it("exec --kill finds an app that responds before it saves the event", async () => {
    const { report } = await exploreKilled("queue");
    expect(report.findings).toMatchObject([
      { oracle: "money", deviations: [{ kind: "app_killed", at: "charge.completed#1" }], seen: { runs: 2 } },
    ]);
  });

  it("exec --kill finds an app that keeps orders only in memory", async () => {
    const { report } = await exploreKilled("memory", "--only", "app_killed at charge.completed#1");
    const message = expect.stringMatching(
      /^the app forgot, when it was killed: app GET \/orders\/order-\w+: status 404, not 2xx$/,
    );
    expect(report.findings).toMatchObject([{ message }]);
  });
});
