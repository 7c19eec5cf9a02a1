// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ShopKind } from "../corpus/faults.js";
import { temporaryFolder } from "../support/folders.js";
import { fileWith } from "../support/scenario-run.js";
import { explored, FLOW, openCorpus } from "./support.js";

const LIMIT = 300_000;

/** What each faulty shop is found by, one for all; those of single deviations. */
const FOUND: readonly (readonly [ShopKind, string])[] = [
  ["acts_twice", "money: webhook_twice charge.completed#1"],
  ["trusts_ids", "money: webhook_late charge.processing#1"],
  ["races", "money: webhook_twice_at_once charge.completed#1"],
  ["last_wins", "money: webhook_after_next charge.processing#1"],
  ["drops_unknown", "money: answer_held createWhitelabel#1"],
  ["pays_again", "money: answer_lost createWhitelabel#1"],
  ["marks_first", "money: answer_5xx getCharge#1"],
  ["never_looks", "money: answer_lost createWhitelabel#1"],
];

describe("explore", () => {
  // Side by side: whoever looks at a shop waits until what it says stays the same.
  it(
    "finds nothing of the shops that are right",
    async () => {
      for (const { report, found } of await Promise.all([explored("right"), explored("queued")])) {
        expect(found).toEqual([]);
        expect(report).toMatchObject({ passed: true, complete_depth: 1, runs: report.choices });
        expect(report.choices).toBeGreaterThan(25);
      }
    },
    LIMIT,
  );

  it(
    "finds each shop with a fault by what goes otherwise once, and keeps a file that fails with it and not with the right one",
    async () => {
      const all = await Promise.all(FOUND.map(([kind]) => explored(kind, { save: temporaryFolder() })));
      const right = await openCorpus("right");
      for (const [index, [kind, expected]] of FOUND.entries()) {
        const { report, found, sandbox, shop } = all[index]!;
        expect(found, kind).toContain(expected);
        expect(report, kind).toMatchObject({ passed: false, complete_depth: 1 });
        const file = report.findings[found.indexOf(expected)]!.file!;
        expect(await sandbox.run(file, { app: shop.url }), kind).toMatchObject({ outcome: "failed" });
        expect(await right.sandbox.run(file, { app: right.shop.url }), kind).toMatchObject({ passed: true });
      }
    },
    LIMIT,
  );

  it(
    "finds by a pair the shop that looks_once, and by nothing smaller",
    async () => {
      const stop = new AbortController();
      const { report } = await explored("looks_once", {
        depth: 2,
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
            deviations: [{ kind: "answer_lost", at: "createWhitelabel#1" }, expect.any(Object)],
          },
        ],
      });
    },
    LIMIT,
  );

  it(
    "finds nothing of the right shop by larger sets either, drawn when the depth is complete and there is time",
    async () => {
      const MOST_RUNS = 60;
      const stop = new AbortController();
      const { report, found } = await explored("right", {
        budget: "1h",
        signal: stop.signal,
        onRun: (runs) => void (runs === MOST_RUNS && stop.abort()),
      });
      expect(found).toEqual([]);
      expect(report).toMatchObject({ passed: true, complete_depth: 1, runs: MOST_RUNS, notes: [] });
      expect(report.drawn).toBe(MOST_RUNS - report.choices);
      expect(report.sentence).toContain(`, ${report.drawn} larger sets by chance, `);
    },
    LIMIT,
  );

  it(
    "finds what must never be, and leaves out of a look what is ignored",
    async () => {
      const never = "never:\n  - { app: 'GET /orders/${order}', body: { status: paid } }\n";
      expect((await explored("right", {}, FLOW + never)).report.findings).toMatchObject([
        {
          oracle: "expect",
          message: expect.stringContaining("with nothing going wrong, in the end"),
          deviations: [],
        },
      ]);
      const ignoring = FLOW.replace(
        "observe:\n  - app: GET /orders/${order}",
        "$&\n    ignore: [delivered]",
      ).replace(", delivered: 1", "");
      expect((await explored("acts_twice", {}, ignoring)).found).toEqual([]);
      const twice = "never:\n  - { app: 'GET /orders/${order}', body: { delivered: 2 } }\n";
      expect((await explored("acts_twice", {}, ignoring + twice)).found).toContain(
        "expect: webhook_twice charge.completed#1",
      );
    },
    LIMIT,
  );

  it(
    "keeps a file of what it finds, which fails with the shop each time",
    async () => {
      const save = join(temporaryFolder(), "found");
      const { sandbox, shop } = await openCorpus("pays_again");
      const { findings } = await sandbox.explore(fileWith(FLOW), { app: shop.url, depth: 1, save });
      expect(findings).toMatchObject([
        {
          oracle: "money",
          message: "paid twice: 2 completed charges for one order",
          file: join(save, "order.answer_lost.createWhitelabel-1.yaml"),
        },
      ]);
      const file = findings[0]!.file!;
      expect(existsSync(file)).toBe(true);
      for (let time = 1; time <= 2; time++)
        expect(await sandbox.run(file, { app: shop.url })).toMatchObject({ outcome: "failed" });
    },
    LIMIT,
  );
});

describe("a flow that cannot be explored", () => {
  const STEPS = "steps:\n  - { app: POST /orders, body: { order: x, email: a@b.test } }\n";
  it.each([
    ["fails with nothing going wrong", FLOW.replace("status: paid", "status: sold"), /the flow fails with/],
    ["calls no app", "name: a\nsteps:\n  - advance: 1s\n", /needs a step that calls the app/],
    ["has no steps", "name: a\n", /nothing to explore/],
    ["asks a person", `name: a\n${STEPS}  - manual: Pay\n`, /manual steps cannot be explored/],
    [
      "observes what is no call",
      `name: a\n${STEPS}observe:\n  - app: orders\n`,
      /:5:5 observe.0.app: must be a method/,
    ],
    ["has a tick that is no step", `name: a\n${STEPS}tick:\n  - ap: x\n`, /:5:5 tick.0.ap/],
    [
      "observes a variable there is none of",
      `name: a\n${STEPS}observe:\n  - app: GET /\${nope}\n`,
      /unknown variable nope/,
    ],
  ])("is refused where it %s", async (_, flow, message) => {
    await expect(explored("right", {}, flow)).rejects.toThrow(message);
  });

  it("is refused with options that cannot be meant", async () => {
    await expect(explored("right", { depth: 9 })).rejects.toThrow("explore: depth must be 1 to 5");
    await expect(explored("right", { budget: "soon" })).rejects.toThrow("explore: budget");
  });
});
