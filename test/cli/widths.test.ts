import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { createCharge } from "../../src/cli/client/charges.js";
import type { CommandInput } from "../../src/cli/client/client-command.js";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { Connection } from "../../src/cli/client/connection.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { reportText } from "../../src/cli/report/text.js";
import { cannotRunReport } from "../../src/cli/run-files.js";
import { paint } from "../../src/cli/text-layout.js";
import { createSandbox } from "../../src/library/index.js";
import type { RunReport } from "../../src/tools/scenario/running/run-report.js";
import { START } from "../support/api-client.js";
import { temporaryFile } from "../support/folders.js";
import { closedAtEnd } from "../support/lifetime.js";
import { Client } from "../support/receiver-client.js";
import { REFUSING_URL } from "../support/receiver-server.js";
import { offTerminal, onTerminal } from "../support/standard-output.js";

const RED = paint("red", "", true).slice(0, "\u001b[31m".length).replace("[", "\\[");
const LONG = "a-name-that-its-owner-has-never-had-to-fit-into-a-terminal";
/** Data for a shell, as long as it is; and what would leave nothing to be looked at. */
const LEFT_OUT = ["env", "reset"];
const STATE = temporaryFile("state.json", "");
/** Words that a view needs, or that make a command with verbs show a list. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  trigger: ["charge.completed"],
  fund: ["KES", "1.00"],
  charge: ["last"],
  history: ["last"],
  withdrawal: ["last"],
  webhook: ["list"],
  snapshot: ["list"],
  namespace: ["list"],
  scenario: ["list"],
  fault: ["list"],
  export: [STATE],
  import: [STATE],
};

let asked: (...words: string[]) => CommandInput;
const views = CLIENT_COMMANDS.map((row) => {
  const name = row.usage.split(" ")[0]!;
  const words = WORDS[name] ?? [];
  return { name, words, action: words.map((word) => row.verbs?.[word]).find(Boolean) ?? row.defaultAction };
}).flatMap(({ action, ...view }) =>
  action === undefined || LEFT_OUT.includes(view.name) ? [] : [{ ...view, action }],
);

beforeAll(async () => {
  const sandbox = closedAtEnd(
    await createSandbox({
      clock: "manual",
      startTime: START,
      webhooks: [{ url: `${REFUSING_URL}/${LONG}` }, { mailbox: "slow" }],
    }),
  );
  await sandbox.listen();
  const connection = new Connection({ url: sandbox.url });
  asked = (...words) => ({ connection, positionalArguments: words, flags: {} });
  const flags = { email: `${LONG}@${LONG}.test`, scenario: "stuck" };
  for (let count = 0; count < 2; count++) await createCharge({ ...asked(), flags });
  await connection.post("/balances", { currency: "KES", amount: "5000.00" });
  await connection.post("/snapshots", { name: LONG });
  await sandbox.advance("5m");
  await Client.of(sandbox).withdraw({ currency: "KES", amount: "500.00" });
  await connection.post("/faults", { match: { operation: "createWithdrawal" }, respond: { status: 503 } });
});

afterEach(offTerminal);

function paintedTerminal(columns: number, colour: "0" | "1" = "0"): void {
  vi.stubEnv("FORCE_COLOR", colour);
  onTerminal(columns);
}

function widest(text: string): string {
  return text.split("\n").reduce((long, line) => (line.length > long.length ? line : long), "");
}

it.each(views)("$name $words has no line that a terminal would wrap", async ({ words, action }) => {
  const given = asked(...words);
  const answer = (await action.call(given))!;
  expect(answer.items ?? [answer]).not.toHaveLength(0);
  for (const columns of [80, 200]) {
    paintedTerminal(columns);
    const text = (await action.formatResult?.(answer, given)) ?? "";
    expect(widest(text).length, text).toBeLessThanOrEqual(columns);
  }
});

it("history shows held deliveries with the reason, and failures in colour", async () => {
  const { action } = views.find(({ name }) => name === "history")!;
  const answer = (await action.call(asked("last")))!;
  const text = await action.formatResult!(answer, asked("last"));
  expect(text).toMatch(
    / hold +charge\.awaiting_payment to mailbox slow is held: waits in mailbox slow to be taken\n/,
  );
  paintedTerminal(200, "1");
  const painted = await action.formatResult!(answer, asked("last"));
  expect(painted).toContain(paint("cyan", "PENDING"));
  expect(painted).toMatch(
    new RegExp(`${RED}charge\\.awaiting_payment to 127\\.0\\.0\\.1:\\d+\\S* → connect ECONNREFUSED`),
  );
});

it("the report of a run fits too, with all details of a failure", () => {
  const failure = {
    message: `the charge is not as expected: ${`${LONG} `.repeat(3)}`,
    line: 3,
    expected: { status: LONG.repeat(3) },
    got: { status: LONG },
  };
  const step = {
    number: 1,
    kind: "advance",
    title: LONG.repeat(2),
    line: 1,
    outcome: "failed",
    duration_ms: 1,
    failure,
  } as const;
  const { error: _error, ...broken } = cannotRunReport(`flows/${LONG}.yaml`, "");
  const report: RunReport = { ...broken, outcome: "failed", steps: [step] };
  paintedTerminal(80);
  const text = reportText(reportOfRun(report));
  expect(widest(text).length, text).toBeLessThanOrEqual(80);
  expect(text.replace(/\s+/g, "")).toContain(JSON.stringify(failure.expected));
});
