import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SERVICE_EVENT_TYPES } from "../../src/core/schema/event-types.js";
import { PROBES, type Probe } from "../../src/core/schema/receiver-report.js";
import type { WebhookReport } from "../../src/library/index.js";
import { everyNameIs, namesAreAsEver } from "../support/names.js";
import { PassingWall } from "./passing-wall.js";
import {
  checkAt,
  type Event,
  type Parts,
  type Reply,
  type Respond,
  type Running,
  receiver,
  reply,
  serve,
} from "./receivers.js";

let running: Running;

async function check(respond: Respond, wall = new PassingWall()): Promise<WebhookReport> {
  running = await serve(respond);
  return checkAt(running.url, {}, { wall });
}

const musts = ({ findings }: WebhookReport) =>
  findings.filter((finding) => finding.severity === "must").map((finding) => finding.fault);
const failed = ({ probes }: WebhookReport) =>
  probes.filter((row) => row.verdict === "fail").map((row) => row.probe);
const rowOf = ({ probes }: WebhookReport, probe: Probe) => probes.find((row) => row.probe === probe)!;
/** Probes whose effect responses do not show. */
const INVISIBLE: readonly Probe[] = [
  "duplicate",
  "reordered",
  "retry",
  "foreign_charge",
  "other_mode",
  "simultaneous",
  "amount",
];

const OK = reply(200);

describe("a correct receiver", () => {
  it("a correct receiver passes, with notes on what responses do not show", async () => {
    const report = await check(receiver());
    expect(report.outcome).toBe("passed");
    expect(report.findings).toEqual([]);
    const verdicts = PROBES.map((probe) => [probe, INVISIBLE.includes(probe) ? "note" : "pass"]);
    expect(report.probes.map((row) => [row.probe, row.verdict])).toEqual(verdicts);
    expect(report.summary).toEqual({
      pass: PROBES.length - INVISIBLE.length,
      fail: 0,
      note: INVISIBLE.length,
    });
    for (const row of report.probes) {
      expect(row.sent).not.toBe("");
      expect(row.expected).not.toBe("");
      expect(row.came_back).toMatch(/^(\d+ × 200; the slowest in |([\w ]+: )?[24]\d\d in )/);
      expect(row.verdict === "note").toBe(row.advice !== null);
    }
  });

  it('a receiver that responds with "already handled" passes the duplicate probe', async () => {
    const seen = new Set<string>();
    const report = await check(
      receiver({
        handle(event) {
          const text = seen.has(event.id) ? "already handled" : "ok";
          seen.add(event.id);
          return { status: 200, text };
        },
      }),
    );
    expect(report.probes[1]).toMatchObject({ probe: "duplicate", verdict: "pass" });
    expect(report.findings).toEqual([]);
  });

  it("a receiver may answer events of a burst with 503", async () => {
    let busy = 0;
    const report = await check(
      receiver({
        async handle() {
          busy++;
          await sleep(50);
          const answer = busy > 5 ? reply(503, { "retry-after": "1" }) : OK;
          busy--;
          return answer;
        },
      }),
    );
    expect(report.outcome).toBe("passed");
    expect(report.findings).toEqual([]);
    expect(rowOf(report, "burst")).toMatchObject({ verdict: "note", fault: null });
  });
});

const isKnown = (type: string) => SERVICE_EVENT_TYPES.includes(type);

/** Responds to the first event with a 5xx. */
function firstFails(otherwise: (event: Event) => Reply = () => OK): Parts["handle"] {
  let isFirst = true;
  return (event) => {
    const answer = isFirst ? reply(500) : otherwise(event);
    isFirst = false;
    return answer;
  };
}

describe("a receiver that fails on an event", () => {
  it("a receiver that saves an event before its 5xx fails the retry probe", async () => {
    const seen = new Set<string>();
    const handle = firstFails()!;
    const report = await check(
      receiver({
        handle(event, incoming) {
          if (seen.has(event.id)) return { status: 200, text: "already handled" };
          seen.add(event.id);
          return handle(event, incoming);
        },
      }),
    );
    expect(report.findings.map(({ fault, severity }) => [fault, severity])).toEqual([
      ["first_request_fails", "should"],
      ["retry", "must"],
    ]);
    expect(failed(report)).toEqual(["retry"]);
  });

  it.each([
    [2, 500, "duplicate", "pass"],
    [2, 503, "duplicate", "pass"],
    [3, 500, "known_id", "note"],
    [3, 503, "known_id", "note"],
    [4, 500, "minute_old", "note"],
  ])("the retry probe runs when event %s gets a %s", async (nth, status, probe, verdict) => {
    let count = 0;
    const report = await check(receiver({ handle: () => (++count === nth ? reply(status) : OK) }));
    expect(report.findings.map(({ fault, probes }) => [fault, probes])).toEqual([
      ["fails_now_and_then", [probe]],
    ]);
    const { answers, advice, ...retry } = rowOf(report, "retry");
    expect(retry.verdict).toBe(verdict);
    expect(advice ?? "").not.toContain("never returned 5xx");
    const [crashed] = report.probes.flatMap((row) => row.answers).filter(({ kind }) => kind === "crashed");
    expect(answers.map(({ event_id }) => event_id)).toEqual([crashed!.event_id]);
  });

  it("the retry probe has no result when every response is the same", async () => {
    const report = await check(receiver({ handle: firstFails() }));
    expect(rowOf(report, "retry")).toMatchObject({ verdict: "note", fault: null });
  });

  it("a receiver that handles a retry like a new event passes the retry probe", async () => {
    const seen = new Set<string>();
    const handle = firstFails((event) => {
      const text = seen.has(event.id) ? "seen" : "done";
      seen.add(event.id);
      return { status: 200, text };
    });
    expect(rowOf(await check(receiver({ handle })), "retry")).toMatchObject({
      verdict: "pass",
      advice: null,
    });
  });
});

it("a receiver that does not respond is too slow", async () => {
  const wall = new PassingWall();
  const report = await check(() => void wall.giveUp(), wall);
  expect(report.probes[0]).toMatchObject({ fault: "too_slow" });
  expect(report.probes[0]!.came_back).toContain("no answer within 15 s");
});

describe("a receiver that stops", () => {
  it("a receiver that has already stopped is unreachable", async () => {
    const server = await serve(() => OK);
    await server.close();
    const report = await checkAt(server.url);
    expect(report).toMatchObject({ outcome: "unreachable", findings: [] });
    expect(report.error).toContain("ECONNREFUSED");
    expect(report.summary).toEqual({ pass: 0, fail: 0, note: PROBES.length });
  });

  it("refuses a host name that resolves to a cloud's metadata service", async () => {
    everyNameIs("169.254.169.254");
    try {
      const report = await checkAt("http://meta.test/");
      expect(report).toMatchObject({ outcome: "unreachable", findings: [] });
      expect(report.error).toContain("meta.test is 169.254.169.254, a cloud's metadata address");
    } finally {
      namesAreAsEver();
    }
  });

  it("a receiver that closes the connection fails at that event", async () => {
    const report = await check(
      receiver({
        handle({ type }, { response }) {
          if (isKnown(type)) return OK;
          response.destroy();
          void running.close();
          return undefined;
        },
      }),
    );
    expect(musts(report)).toEqual(["unknown_type"]);
    expect(failed(report)).toEqual(["unknown_type"]);
    expect(rowOf(report, "burst")).toMatchObject({ verdict: "note", because: "unknown_type" });
  });

  it("a receiver that stops after a response is reported as gone", async () => {
    let count = 0;
    const report = await check(
      receiver({
        handle(_event, { response }) {
          if (++count === 2) response.once("close", () => void running.close());
          return OK;
        },
      }),
    );
    expect(musts(report)).toEqual(["gone"]);
    expect(failed(report)).toEqual(["tampered"]);
  });
});
