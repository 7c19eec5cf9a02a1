import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SERVICE_EVENT_TYPES } from "../../src/core/schema/event-types.js";
import { PROBES, type Probe } from "../../src/core/schema/receiver-report.js";
import type { WebhookReport } from "../../src/index.js";
import { everyNameIs, namesAreAsEver } from "../support/names.js";
import { PassingWall } from "./passing-wall.js";
import {
  checkAt,
  type Event,
  fitting,
  type Parts,
  picking,
  type Respond,
  type Running,
  receiver,
  reply,
  serve,
  verifies,
} from "./receivers.js";

let running: Running;

async function check(respond: Respond, wall = new PassingWall()): Promise<WebhookReport> {
  running = await serve(respond);
  return checkAt(running.url, {}, { wall });
}

/** Never answers, and nobody waits for it. */
const hangingOn = (wall: PassingWall) => (): undefined => {
  wall.giveUp();
};

const musts = ({ findings }: WebhookReport) =>
  findings.filter((finding) => finding.severity === "must").map((finding) => finding.fault);
const shoulds = ({ findings }: WebhookReport) =>
  findings.filter((finding) => finding.severity === "should").map((finding) => finding.fault);
const failed = ({ probes }: WebhookReport) =>
  probes.filter((row) => row.verdict === "fail").map((row) => row.probe);
const explained = ({ probes }: WebhookReport) =>
  probes.filter((row) => row.because !== null && row.answers.length > 0).map((row) => row.probe);

const rowOf = ({ probes }: WebhookReport, probe: Probe) => probes.find((row) => row.probe === probe)!;
const VERIFIED: readonly Probe[] = [
  "tampered",
  "wrong_secret",
  "unsigned",
  "empty_signature",
  "partial_signature",
  "other_case",
  "other_version",
  "stale",
  "future",
];
/** What no answer shows. */
const INVISIBLE: readonly Probe[] = ["duplicate", "reordered", "retry", "simultaneous", "amount", "early"];

const known = (): { has: (event: Event) => boolean; add: (event: Event) => void } => {
  const ids = new Set<string>();
  return { has: (event) => ids.has(event.id), add: (event) => ids.add(event.id) };
};
const RANKS: Record<string, number> = { AWAITING_PAYMENT: 0, PROCESSING: 1, COMPLETED: 2 };
const OK = reply(200);

describe("a correct receiver", () => {
  it("passes; what cannot be seen from outside is noted", async () => {
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
      if (["amount", "early"].includes(row.probe)) continue;
      expect(row.came_back).toMatch(/^(\d+ × 200; the slowest in |([\w ]+: )?[24]\d\d in )/);
      expect(row.verdict === "note").toBe(row.advice !== null);
    }
  });

  it("passes the duplicate where it says that it knows the event", async () => {
    const seen = known();
    const report = await check(
      receiver({
        handle(event) {
          const text = seen.has(event) ? "already handled" : "ok";
          seen.add(event);
          return { status: 200, text };
        },
      }),
    );
    expect(report.probes[1]).toMatchObject({ probe: "duplicate", verdict: "pass" });
    expect(report.findings).toEqual([]);
  });

  it("may ask for time in a burst", async () => {
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

const planted: [fault: string, at: string, parts: () => Parts][] = [
  ["reserialized_body", "unicode", () => ({ verify: reserialized })],
  ["unicode", "unicode", () => ({ verify: latin1 })],
  ["unknown_fields", "unicode", () => ({ handle: strictly })],
  ["stale_accepted", "stale", () => ({ verify: anyAge })],
  ["unsigned_accepted", "unsigned", () => ({ verify: ifSigned })],
  ["signature_not_compared", "tampered", () => ({ verify: ifThere })],
  ["unknown_type", "unknown_type", () => ({ handle: ({ type }) => reply(isKnown(type) ? 200 : 500) })],
  ["unknown_type", "unknown_type", () => ({ handle: ({ type }) => reply(isKnown(type) ? 200 : 422) })],
  ["unknown_type", "unknown_type", () => ({ handle: cutting(({ type }) => !isKnown(type)) })],
  ["reordered", "reordered", () => ({ handle: inOrderOnly(500) })],
  ["reordered", "reordered", () => ({ handle: inOrderOnly(409) })],
  [
    "lifecycle",
    "each_type",
    () => ({ handle: ({ data }) => reply(data.status === "COMPLETED" ? 500 : 200) }),
  ],
  ["first_signature_only", "rotated_secret", () => ({ verify: picking((all) => all[0]) })],
  ["last_signature_only", "rotated_secret", () => ({ verify: picking((all) => all.at(-1)) })],
  ["one_signature_only", "rotated_secret", () => ({ verify: picking((all) => all.join(" ")) })],
  ["duplicates", "duplicate", () => ({ handle: once(400) })],
  ["duplicates", "duplicate", () => ({ handle: once(500) })],
  ["burst", "burst", () => ({ handle: fewAtATime() })],
  ["refusals_redirect", "tampered", () => ({ refuse: () => reply(302, { location: "/login" }) })],
  ["refusals_break", "tampered", () => ({ refuse: ({ response }) => void response.destroy() })],
];

const isKnown = (type: string) => SERVICE_EVENT_TYPES.includes(type);
const TYPES = { "charge.awaiting_payment": 1, "charge.processing": 1, "charge.completed": 1 };
const reserialized: Parts["verify"] = (incoming) =>
  verifies({ ...incoming, body: Buffer.from(JSON.stringify(JSON.parse(incoming.body.toString()))) });
const latin1: Parts["verify"] = (incoming) =>
  verifies({ ...incoming, body: Buffer.from(incoming.body.toString("latin1")) });
const anyAge: Parts["verify"] = (incoming) => {
  const given = String(incoming.headers["webhook-signature"]).split(" ");
  if (!given.includes(fitting(incoming))) throw new Error("does not fit");
};
const ifSigned: Parts["verify"] = (incoming) => {
  if (incoming.headers["webhook-signature"] !== undefined) verifies(incoming);
};
const ifThere: Parts["verify"] = ({ headers }) => {
  if (headers["webhook-signature"] === undefined) throw new Error("no signature");
};
const FIELDS = ["id", "type", "timestamp", "mode", "data"];
const strictly: Parts["handle"] = (event) =>
  reply(Object.keys(event).every((field) => FIELDS.includes(field)) ? 200 : 500);
const cutting =
  (when: (event: Event) => boolean): Parts["handle"] =>
  (event, { response }) => {
    if (!when(event)) return OK;
    response.destroy();
    return undefined;
  };
function inOrderOnly(status: number): Parts["handle"] {
  const ranks = new Map<string, number>();
  return ({ data, type }) => {
    if (!(type in TYPES)) return OK;
    const rank = RANKS[data.status]!;
    if (rank < (ranks.get(data.charge_id) ?? 0)) return reply(status);
    ranks.set(data.charge_id, rank);
    return OK;
  };
}
function once(status: number): Parts["handle"] {
  const seen = known();
  return (event) => {
    if (seen.has(event)) return reply(status);
    seen.add(event);
    return OK;
  };
}
function fewAtATime(): Parts["handle"] {
  let inside = 0;
  return async () => {
    inside++;
    await sleep(50);
    const answer = reply(inside > 5 ? 500 : 200);
    inside--;
    return answer;
  };
}

describe("a receiver with one fault fails for that one and no other:", () => {
  it.each(planted)("%s, at %s", async (fault, at, parts) => {
    const report = await check(receiver(parts()));
    expect(musts(report)).toEqual([fault]);
    expect(failed(report)).toEqual([at]);
    expect(report.outcome).toBe("failed");
    const row = report.probes.find((one) => one.probe === at)!;
    expect(row).toMatchObject({ fault, advice: report.findings[0]!.advice });
  });

  it("no_verification, told once", async () => {
    const report = await check(() => OK);
    expect(musts(report)).toEqual(["no_verification"]);
    expect(failed(report)).toEqual(["tampered"]);
    const [first, ...others] = [...VERIFIED, "known_id", "rotated_secret"];
    expect(explained(report)).toEqual(others);
    expect(report.findings[0]!.probes).toEqual([first, ...others]);
  });

  it("signature_not_compared hides what depends on it", async () => {
    const report = await check(receiver({ verify: ifThere }));
    const shown = VERIFIED.filter((probe) => !["tampered", "unsigned"].includes(probe));
    expect(explained(report)).toEqual([...shown, "known_id", "rotated_secret"]);
  });

  it("duplicates explains the retry, too", async () => {
    expect(explained(await check(receiver({ handle: once(400) })))).toEqual(["retry", "simultaneous"]);
  });

  it("unknown_type explains that the same event fails again", async () => {
    const report = await check(receiver({ handle: ({ type }) => reply(isKnown(type) ? 200 : 500) }));
    expect(explained(report)).toEqual(["unknown_family", "retry"]);
  });

  it("refusals_hang: no answer to what it refuses", async () => {
    const wall = new PassingWall();
    const report = await check(receiver({ refuse: hangingOn(wall) }), wall);
    expect(musts(report)).toEqual(["refusals_hang"]);
    expect(failed(report)).toEqual(["tampered"]);
    expect(explained(report)).toEqual(VERIFIED.slice(1));
  });

  it("refusals_crash is a should: what is refused with a 5xx is refused", async () => {
    const report = await check(receiver({ refuse: () => reply(500) }));
    expect(report.outcome).toBe("passed");
    expect(shoulds(report)).toEqual(["refusals_crash"]);
    expect(report.findings[0]!.probes).toEqual(VERIFIED);
  });

  it("retry: it counts an event as handled that it answered with a 5xx", async () => {
    const seen = known();
    let isFirst = true;
    const report = await check(
      receiver({
        handle(event) {
          if (seen.has(event)) return { status: 200, text: "already handled" };
          seen.add(event);
          const answer = reply(isFirst ? 500 : 200);
          isFirst = false;
          return answer;
        },
      }),
    );
    expect(musts(report)).toEqual(["retry"]);
    expect(shoulds(report)).toEqual(["first_request_fails"]);
    expect(failed(report)).toEqual(["retry"]);
  });

  it("first_request_fails is a should, and then the retry is exercised", async () => {
    let isFirst = true;
    const report = await check(
      receiver({
        handle() {
          const answer = reply(isFirst ? 500 : 200);
          isFirst = false;
          return answer;
        },
      }),
    );
    expect(report.outcome).toBe("passed");
    expect(report.findings.map((finding) => finding.fault)).toEqual(["first_request_fails"]);
    // It says nothing of what it knows, so the retry may as well have been dropped.
    expect(rowOf(report, "retry")).toMatchObject({ verdict: "note", fault: null });
  });

  it("a retry is taken for done where it is answered as news are, and not as duplicates are", async () => {
    const seen = known();
    let isFirst = true;
    const report = await check(
      receiver({
        handle(event) {
          if (isFirst) {
            isFirst = false;
            return reply(500);
          }
          const text = seen.has(event) ? "seen" : "done";
          seen.add(event);
          return { status: 200, text };
        },
      }),
    );
    expect(rowOf(report, "retry")).toMatchObject({ verdict: "pass", advice: null });
  });
});

describe("a receiver that takes no valid event is told that, and nothing more is sent:", () => {
  const blocked: [fault: string, requests: number, respond: Respond][] = [
    ["redirects", 2, () => reply(302, { location: "/webhooks/" })],
    ["refuses_valid_events", 3, () => reply(401)],
    ["wrong_path", 3, () => reply(404)],
    ["refuses_content", 3, receiver({ handle: () => reply(422) })],
    ["crashes_on_valid_events", 2, () => reply(500)],
    ["busy", 1, () => reply(429)],
    ["breaks_connection", 2, ({ response }) => void response.destroy()],
  ];
  it.each(blocked)("%s", async (fault, requests, respond) => {
    const report = await check(respond);
    expect(musts(report)).toEqual([fault]);
    expect(failed(report)).toEqual(["valid"]);
    expect(running.count).toBe(requests);
    for (const row of report.probes.slice(1))
      expect(row).toMatchObject({ verdict: "note", because: "valid", came_back: "not sent", answers: [] });
  });

  it("too_slow", async () => {
    const wall = new PassingWall();
    const report = await check(hangingOn(wall), wall);
    expect(musts(report)).toEqual(["too_slow"]);
    expect(failed(report)).toEqual(["valid"]);
    expect(report.probes[0]!.came_back).toContain("no answer within 15 s");
    expect(running.count).toBe(2);
  });
});

describe("a receiver that is gone", () => {
  it("from the start is unreachable", async () => {
    const server = await serve(() => OK);
    await server.close();
    const report = await checkAt(server.url);
    expect(report).toMatchObject({ outcome: "unreachable", findings: [] });
    expect(report.error).toContain("ECONNREFUSED");
    expect(report.summary).toEqual({ pass: 0, fail: 0, note: PROBES.length });
  });

  it("behind a name that leads to a cloud's metadata service is not asked at all", async () => {
    everyNameIs("169.254.169.254");
    try {
      const report = await checkAt("http://meta.test/");
      expect(report).toMatchObject({ outcome: "unreachable", findings: [] });
      expect(report.error).toContain("meta.test is 169.254.169.254, a cloud's metadata address");
    } finally {
      namesAreAsEver();
    }
  });

  it("after an event it broke off at: that event is the fault", async () => {
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

  it("after an event it answered: it is gone", async () => {
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
