import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { CHARGE_STATUSES } from "../../src/core/schema/common.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { buildIfMissing } from "../support/process-command.js";

interface Run {
  readonly node: string;
  /** Transcripts of a new sandbox and of one after a reset. */
  readonly fresh: readonly string[];
  readonly repeated: readonly string[];
}

const PROGRAM = fileURLToPath(new URL("run.mjs", import.meta.url));
const OTHER_NODE = process.env.PAYMENTS_SANDBOX_OTHER_NODE;

/** Runs the calls in a separate process. */
function run<Result = Run>(words: readonly string[], node = process.execPath): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [PROGRAM, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(JSON.parse(stdout) as Result) : reject(new Error(`ended with ${code}: ${stderr}`)),
    );
  });
}

/** A diff would have megabytes. */
function firstDifference(one: readonly string[], other: readonly string[]): string | undefined {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [a = "(nothing)", b = "(nothing)"] = [one[index], other[index]];
    if (a === b) continue;
    let at = 0;
    while (a[at] === b[at]) at++;
    const around = (text: string) => text.slice(Math.max(0, at - 200), at + 200);
    return `step ${index}, ${a.split("\n")[0]!.slice(0, 200)}\n${around(a)}\n--- is not ---\n${around(b)}`;
  }
  return undefined;
}

function countOf(transcript: readonly string[], pattern: RegExp): number {
  return transcript.filter((step) => pattern.test(step)).length;
}

describe("the same seed and the same calls", () => {
  let first: Run;
  let second: Pick<Run, "fresh">;
  beforeAll(async () => {
    buildIfMissing();
    [first, second] = await Promise.all([
      run(["determinism"]),
      run<Pick<Run, "fresh">>(["determinism", "once"]),
    ]);
  });

  it("the same seed and calls give the same bytes in the same order", () => {
    expect(firstDifference(first.fresh, second.fresh)).toBeUndefined();
  });

  it("a reset with ids: repeat gives the same bytes as a new start", () => {
    expect(firstDifference(first.fresh, first.repeated)).toBeUndefined();
  });

  it("another seed gives different ids and random results", async () => {
    const other = await run<Pick<Run, "fresh">>(["another", "once"]);
    expect(firstDifference(first.fresh, other.fresh)).toBeDefined();
    const fates = (one: Pick<Run, "fresh">) =>
      one.fresh.map((step) => /^.*\n< (\S+)/.exec(step)?.[1]).join(" ");
    expect(fates(other)).not.toBe(fates(first));
  });

  it.skipIf(OTHER_NODE === undefined)("another version of Node gives the same bytes", async () => {
    const other = await run(["determinism", "once"], OTHER_NODE);
    expect(other.node.split(".")[0]).not.toBe(process.versions.node.split(".")[0]);
    expect(firstDifference(first.fresh, other.fresh)).toBeUndefined();
  });

  it("the test covers every operation, status and fault", () => {
    const coverage = first.fresh.findLast((step) => step.startsWith("> GET /_sandbox/coverage"))!;
    const { operations, statuses } = JSON.parse(coverage.slice(coverage.indexOf("\n{") + 1));
    // Counts of a deleted namespace are gone.
    const called = (pattern: string) =>
      countOf(first.fresh, new RegExp(`^> ${pattern.replace(/:\w+/g, "[^/ ?]+")}[ ?][^\\n]*\\n< 200\\n`));
    const never = OPERATIONS.filter(
      ({ id, method, path }) => called(`${method} ${path}`) === 0 && operations.met[id] === undefined,
    );
    expect(never.map(({ id }) => id)).toEqual([]);
    expect(Object.keys(statuses.met).sort()).toEqual([...CHARGE_STATUSES].sort());
    expect(countOf(first.fresh, /\n< cut/)).toBeGreaterThan(2);
    for (const status of [400, 401, 403, 404, 405, 409, 422, 429, 500, 503])
      expect([status, countOf(first.fresh, new RegExp(`\\n< ${status}\\n`)) > 0]).toEqual([status, true]);
    const deliveries = first.fresh.filter((step) => step.startsWith("> GET /_sandbox/deliveries")).join("\n");
    for (const status of ["delivered", "failed", "dropped", "pending"])
      expect([status, deliveries.includes(`"status":"${status}"`)]).toEqual([status, true]);
    for (const trace of [
      "socket hang up",
      "ECONNREFUSED",
      "failed by scenario",
      '"bad_signature":true',
      '"at_once":3',
      '"copy_id":"evt_',
      "lost on the way back, by scenario races",
    ])
      expect([trace, deliveries.includes(trace)]).toEqual([trace, true]);
  });
});
