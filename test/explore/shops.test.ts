// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import type { ShopKind } from "../corpus/faults.js";
import { temporaryFolder } from "../support/folders.js";
import { explored, exploredByOnly, FLOW, openCorpus, withoutForeign } from "./support.js";

/** The deviation that reveals each faulty shop. */
const FOUND: readonly (readonly [ShopKind, string])[] = [
  ["acts_twice", "webhook_twice charge.completed#1"],
  ["trusts_ids", "webhook_late charge.processing#1"],
  ["races", "webhook_twice_at_once charge.completed#1"],
  ["last_wins", "webhook_after_next charge.processing#1"],
  ["drops_unknown", "response_held createWhitelabel#1"],
  ["pays_again", "response_lost createWhitelabel#1"],
  ["marks_first", "response_5xx getCharge#1"],
  ["never_looks", "response_lost createWhitelabel#1"],
];

describe.concurrent("explore", () => {
  it("explore finds nothing in the shop that processes webhooks after its response", async () => {
    const { report, found } = await explored("queued");
    expect(found).toEqual([]);
    expect(report).toMatchObject({ passed: true, complete_depth: 1, runs: report.choices });
    expect(report.choices).toBeGreaterThan(25);
  });

  // Concurrent: each test waits for its own shop.
  it("explore finds each faulty shop, and saves a file that reproduces it", async () => {
    const right = await openCorpus("right");
    const meets = async ([kind, where]: (typeof FOUND)[number]) => {
      const { sandbox, shop, file } = await exploredByOnly(kind, where);
      for (let time = 1; time <= 2; time++)
        expect(await sandbox.runFile(file, { app: shop.url }), kind).toMatchObject({ outcome: "failed" });
      return { kind, file };
    };
    // In sequence, because the shops share the time of one sandbox.
    for (const { kind, file } of await Promise.all(FOUND.map(meets)))
      expect(await right.sandbox.runFile(file, { app: right.shop.url }), kind).toMatchObject({
        passed: true,
      });
  });

  it("explore finds the shop looks_once only by combining two deviations", async () => {
    const stop = new AbortController();
    const { report, sandbox, shop } = await explored("looks_once", {
      depth: 2,
      save: temporaryFolder(),
      signal: stop.signal,
      onRun: (_runs, findings) => {
        if (findings > 0) stop.abort();
      },
    });
    expect(report).toMatchObject({
      complete_depth: 1,
      findings: [
        {
          oracle: "money",
          message: "paid twice: 2 completed charges for one order",
          deviations: [{ kind: "response_lost", at: "createWhitelabel#1" }, expect.any(Object)],
        },
      ],
    });
    const { file } = report.findings[0]!;
    for (let time = 1; time <= 3; time++)
      expect(await sandbox.runFile(file!, { app: shop.url })).toMatchObject({ outcome: "failed" });
    const right = await openCorpus("right");
    expect(await right.sandbox.runFile(file!, { app: right.shop.url })).toMatchObject({ passed: true });
  });

  it("explore finds nothing in the correct shop", async () => {
    const MOST_RUNS = 50;
    const stop = new AbortController();
    const { report, found } = await explored("right", {
      depth: 2,
      signal: stop.signal,
      onRun: (runs) => void (runs === MOST_RUNS && stop.abort()),
    });
    expect(found).toEqual([]);
    expect(report).toMatchObject({ passed: true, complete_depth: 1, runs: MOST_RUNS });
    expect(withoutForeign(report.notes)).toEqual([]);
    expect(report.choices).toBeGreaterThan(25);
    expect(report.drawn).toBe(0);
  });

  it("finds a violation of `never`, and ignores the fields in `ignore`", async () => {
    const never = "never:\n  - { app: 'GET /orders/${order}', body: { status: paid } }\n";
    await expect(explored("right", {}, FLOW + never)).rejects.toThrow(
      /the flow fails with nothing going wrong, later: app GET \/orders\/\S+: the response differs at body/,
    );
    const ignoring = FLOW.replace(
      "observe:\n  - app: GET /orders/${order}",
      "$&\n    ignore: [delivered]",
    ).replace(", delivered: 1", "");
    const only = "webhook_twice at charge.completed#1";
    expect((await explored("acts_twice", { only }, ignoring)).found).toEqual([]);
    const twice = "never:\n  - { app: 'GET /orders/${order}', body: { delivered: 2 } }\n";
    const { report } = await explored("acts_twice", { only }, ignoring + twice);
    expect(report.findings).toMatchObject([{ oracle: "expect" }]);
  });
});

describe.concurrent("a flow that cannot be explored", () => {
  const STEPS = "steps:\n  - { app: POST /orders, body: { order: x, email: a@b.test } }\n";
  it.each([
    ["fails without deviations", FLOW.replace("status: paid", "status: sold"), /the flow fails with/],
    ["calls no app", "name: a\nsteps:\n  - advance: 1s\n", /needs a step that calls the app/],
    ["has no steps", "name: a\n", /nothing to explore/],
    [
      "expects another answer",
      FLOW.replace("{ status: 201 }", "{ status: 200 }"),
      /The customer orders: status 20\d, not 200 \(\{"order":/,
    ],
    ["asks a person", `name: a\n${STEPS}  - manual: Pay\n`, /manual steps cannot be explored/],
    [
      "observes something that is no call",
      `name: a\n${STEPS}observe:\n  - app: orders\n`,
      /:5:5 observe.0.app: must be a method/,
    ],
    ["has a tick that is no step", `name: a\n${STEPS}tick:\n  - ap: x\n`, /:5:5 tick.0.ap/],
    [
      "observes an unknown variable",
      `name: a\n${STEPS}observe:\n  - app: GET /\${nope}\n`,
      /unknown variable nope/,
    ],
  ])("refuses a flow that %s", async (_, flow, message) => {
    await expect(explored("right", {}, flow)).rejects.toThrow(message);
  });

  it("refuses invalid options", async () => {
    await expect(explored("right", { depth: 9 as 2 })).rejects.toThrow("explore: depth must be 1, 2 or max");
    await expect(explored("right", { budget: "soon" })).rejects.toThrow("explore: budget");
  });
});
