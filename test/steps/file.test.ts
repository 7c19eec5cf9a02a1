// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { DocumentError, faultText } from "../../src/core/files/documents.js";
import { type LoadedScenario, readScenarioFile } from "../../src/tools/scenario/files.js";
import { fileWith } from "../support/scenario-run.js";

interface Given {
  vars?: Record<string, string>;
  environment?: Record<string, string>;
}

function load(text: string, given: Given = {}): Promise<LoadedScenario> {
  return readScenarioFile(fileWith(text), { ...given, runIdOf: (name) => `id-of-${name}` });
}

/** What is wrong with a file, without its name. */
async function faults(text: string, given: Given = {}): Promise<string[]> {
  try {
    await load(text, given);
    return [];
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return error.faults.map((fault) => faultText({ ...fault, file: "" }).slice(1));
  }
}

const flow = (steps: string, rest = "") => `name: x\n${rest}steps:\n${steps}\n`;

describe("variables", () => {
  it("come from the file, the command line, the environment and the run; a lone one keeps its type", async () => {
    const { scenario } = await load(
      `
name: s
vars: { one: 1, email: "qa+\${run.id}@\${host}", host: "\${env.HOST:-shop.test}", list: [KES, UGX], who: nobody }
charges:
  - match: { customer_email: "\${email}", currency: "\${list}", customer_name: "\${who}" }
    timeline: [{ after: "\${one}s", to: FAILED, reason: "costs $\${x}" }]
webhooks:
  - { copies: "\${one}" }
`,
      { vars: { who: "me" }, environment: { HOST: "" } },
    );
    expect(scenario).toEqual({
      name: "s",
      charges: [
        {
          match: { customer_email: "qa+id-of-s@shop.test", currency: ["KES", "UGX"], customer_name: "me" },
          timeline: [{ after: "1s", to: "FAILED", reason: `costs $${"{x}"}` }],
        },
      ],
      webhooks: [{ copies: 1 }],
    });
  });

  it("given as text are what the file's own are", async () => {
    const text = 'name: s\nvars: { n: 1, yes: false }\nfaults: [{ delay: 1s, times: "$' + '{n}" }]';
    const { scenario } = await load(text, { vars: { n: "3" } });
    expect(scenario.faults).toEqual([{ delay: "1s", times: 3 }]);
    expect(await faults(text, { vars: { n: "many" } })).toEqual(["3:23 faults.0.times: must be a number"]);
  });

  it("may hold records, and be asked for a part of them", async () => {
    const { scenario } = await load(
      'name: s\nvars: { who: { email: a@b.test } }\ncharges: [{ match: { customer_email: "$' +
        '{who.email}" }, timeline: [] }]',
    );
    expect(scenario.charges?.[0]?.match).toEqual({ customer_email: "a@b.test" });
  });

  it.each([
    [
      "vars: { email: a }\ncharges: [{ match: { customer_email: '${emial}' }, timeline: [] }]",
      "3:22 charges.0.match.customer_email: unknown variable emial; did you mean email?",
    ],
    [
      "charges: [{ match: { customer_email: '${x}' }, timeline: [] }]",
      "2:22 charges.0.match.customer_email: unknown variable x; known: run.id",
    ],
    ["vars: { a: '${b}', b: '${c}', c: '${a}' }", "2:31 vars.c: ${a} refers to itself"],
    ["vars: { a: '${a}' }", "2:9 vars.a: ${a} refers to itself"],
    [
      "vars: { a: '${env.NOPE_NOPE}' }",
      "2:9 vars.a: the environment has no NOPE_NOPE; a default is written ${env.NOPE_NOPE:-default}",
    ],
    ["vars: { a: { b: 1 }, c: '${a.d}' }", "2:22 vars.c: ${a} has no d"],
    [
      "vars: { a: '${b:-1}', b: 2 }",
      "2:9 vars.a: only a variable of the environment takes a default: ${env.b:-1}",
    ],
    ["vars: { a: 'x ${ y' }", "2:9 vars.a: ${ y is not a variable: write ${name}"],
    ["vars: { a: '${}' }", "2:9 vars.a: ${} is not a variable: write ${name}"],
    ["vars: { 'a b': 1 }", "2:9 vars.a b: must be a name of letters, digits, dashes and underscores"],
  ])("%s", async (text, fault) => {
    expect(await faults(`name: x\n${text}`)).toEqual([fault]);
  });

  it("saved by a step are known to the steps after it, and to nothing else", async () => {
    const text = `name: x
charges: [{ match: { charge_id: "\${c}" }, timeline: [] }]
steps:
  - advance: "\${c}"
  - request: GET /x
    save: { c: body.id }
  - expect_charge: { charge_id: "\${c}", count: "\${c}" }
  - advance: "\${c}"
  - wait_for: "\${c}"
`;
    expect(await faults(text)).toEqual([
      "2:22 charges.0.match.charge_id: ${c} is saved by step 2, but rules are set up before the steps",
      "4:5 steps.0.advance: ${c} is not known here: step 2 saves it",
    ]);
  });
});

describe("steps", () => {
  it.each([
    ["  - reqest: GET /x", "3:5 steps.0.reqest: unknown field; did you mean request?"],
    ["  - name: nothing", /^3:5 steps\.0: a step needs an action: one of request, app, pay, .*, trigger, /],
    [
      "  - request: GET /a\n    app: GET /b",
      "4:5 steps.0.app: a step has one action, and this one has request already: begin another with -",
    ],
    [
      "  - request: /a",
      "3:5 steps.0.request: must be a method and a path, such as POST /api/v1/payments/quotes",
    ],
    ["  - advance: 5", "3:5 steps.0.advance: must be a duration such as 10m, an ISO instant, next or idle"],
    [
      "  - advance: soon",
      "3:5 steps.0.advance: must be a duration such as 10m, an ISO instant, next or idle",
    ],
    [
      "  - { advance: 1s, expect: {} }",
      "3:20 steps.0.expect: unknown field; known: name, advance, quiet, save",
    ],
    ["  - { advance: 1s, naem: x }", "3:20 steps.0.naem: unknown field; did you mean name?"],
    [
      "  - wait_for: chrage",
      "3:5 steps.0.wait_for: must be one of charge, request, delivery, idle; did you mean charge?",
    ],
    [
      "  - wait_for: charges",
      "3:5 steps.0.wait_for: must be one of charge, request, delivery, idle; did you mean charge?",
    ],
    ["  - { wait_for: idle, match: {} }", "3:23 steps.0.match: unknown field; known: name, wait_for, within"],
    [
      "  - { wait_for: charge, match: { stauts: x } }",
      "3:34 steps.0.match.stauts: unknown field; did you mean status?",
    ],
    ["  - { wait_for: charge, within: 5 }", /^3:25 steps.0.within: must be a duration such as 500ms, /],
    [
      "  - expect_charge: { status: FALED }",
      /^3:22 steps\.0\.expect_charge\.status: must be one of PENDING, .*; did you mean FAILED\?$/,
    ],
    ["  - expect_charge: { count: -1 }", "3:22 steps.0.expect_charge.count: must not be negative"],
    ["  - expect_webhook: { typ: x }", "3:23 steps.0.expect_webhook.typ: unknown field; did you mean type?"],
    [
      "  - expect_delivery: { answered: 3zz }",
      "3:24 steps.0.expect_delivery.answered: must be a status such as 200 or 2xx",
    ],
    [
      "  - expect_balance: { currency: KES }",
      "3:5 steps.0.expect_balance: needs available_balance, pending_balance or change",
    ],
    [
      "  - expect_balance: { currency: KES, change: lots }",
      '3:38 steps.0.expect_balance.change: must be a signed decimal string such as "+500.00"',
    ],
    [
      "  - expect_balance: { currency: KES, change: +500.00 }",
      '3:38 steps.0.expect_balance.change: must be a signed decimal string in quotes, such as "+500.00"',
    ],
    [
      "  - expect_balance: { currency: KES, available_balance: 5 }",
      "3:38 steps.0.expect_balance.available_balance: is text: put the value in quotes",
    ],
    [
      "  - reconcile: { app: GET /orders, map: { stauts: state } }",
      "3:43 steps.0.reconcile.map.stauts: must be one of charge_id, status, amount, currency, delivered and metadata.KEY",
    ],
    ["  - reconcile: { map: {} }", "3:5 steps.0.reconcile.app: is required"],
    [
      "  - expect_charge: { amount: 512.50 }",
      "3:22 steps.0.expect_charge.amount: is text: put the value in quotes",
    ],
    [
      "  - { app: GET /x, headers: { a: 1.5 } }",
      "3:31 steps.0.headers.a: must be a string: put it in quotes",
    ],
    [
      "  - { request: GET /x, expect: { status: [200, 201] } }",
      "3:34 steps.0.expect.status: must be a status such as 200 or 2xx",
    ],
    [
      "  - advance: 9000000d",
      "3:5 steps.0.advance: is too long: a duration is at most 3660000d, which is 10,000 years",
    ],
    ["  - advance: 2026-02-30T00:00:00Z", "3:5 steps.0.advance: is not an existing date or time"],
    ["  - advance: 2026-03-01T00:00:00", "3:5 steps.0.advance: needs a time zone: append Z for UTC"],
    ["  - transition: { to: FAILED }", "3:5 steps.0.transition: needs either charge_id or withdrawal_id"],
    ["  - transition: { charge_id: x, to: DONE }", /^3:33 steps\.0\.transition\.to: must be one of PENDING/],
    [
      "  - trigger: { type: Bad! }",
      "3:16 steps.0.trigger.type: must be an event type such as charge.completed",
    ],
    ["  - fault: { times: 1 }", "3:5 steps.0.fault: needs respond, delay, delay_answer, hold, stale or drop"],
    [
      "  - fault: { drop: befor }",
      "3:14 steps.0.fault.drop: must be one of before, after, hang; did you mean before?",
    ],
    [
      "  - { request: GET /x, save: { q: 'a..b' } }",
      "3:32 steps.0.save.q: must be a path in the result, such as body.quote_id or charge_id",
    ],
    [
      "  - { request: GET /x, expect: { dropped: true, status: 200 } }",
      "3:24 steps.0.expect: dropped expects no response, so nothing else can be expected with it",
    ],
    [
      "  - { request: GET /x, headers: { a: 1 } }",
      "3:35 steps.0.headers.a: must be a string: put it in quotes",
    ],
    ["  - 5", /^3:5 steps.0: must be a step: an action, a colon and what it takes/],
  ])("%s", async (step, fault) => {
    expect(await faults(flow(step))).toEqual([
      typeof fault === "string" ? fault : expect.stringMatching(fault),
    ]);
  });

  it.each([
    ["webhooks: [{ copies: 0 }]", "webhooks.0.copies: must be at least 1"],
    ["webhooks: [{ copies: 1000000 }]", "webhooks.0.copies: must be at most 100"],
    ["faults: [{ drop: after, probability: 2 }]", "faults.0.probability: must be at most 1"],
    ["faults: [{ drop: after, times: 0 }]", "faults.0.times: must be at least 1"],
    [
      "charges: [{ timeline: [{ after: 1s, after_expiry: 1s, to: FAILED }] }]",
      "charges.0.timeline.0.after_expiry: does not go with after: leave one of them out",
    ],
    [
      "charges: [{ timeline: [{ after: 99999999999d, to: FAILED }] }]",
      "charges.0.timeline.0.after: is too long: a duration is at most 3660000d, which is 10,000 years",
    ],
  ])("of the rule %s", async (rules, fault) => {
    expect(await faults(`name: x\n${rules}\n`)).toEqual([expect.stringMatching(new RegExp(`${fault}$`))]);
  });

  it("all at once, in the order they stand", async () => {
    const text = "nmae: x\nsteps:\n  - advance: soon\ncharges:\n  - timeline: [{ after: 1, to: PAID }]\n";
    expect((await faults(text)).map((fault) => fault.split(" ")[0])).toEqual(["1:1", "3:5", "5:18", "5:28"]);
  });

  it("may be as many as a thousand", async () => {
    expect(await faults(flow("  - advance: 1s\n".repeat(1_000)))).toEqual([]);
    expect(await faults(flow("  - advance: 1s\n".repeat(1_001)))).toEqual([
      "2:1 steps: must have at most 1000 entries",
    ]);
  });
});

describe("what YAML lets pass", () => {
  it.each([
    ["name: x\n---\nname: y\n", /^2:1 begins another document: there is one in a file$/],
    [
      "name: x\nvars:\n  a: *nobody\n",
      /^3:6 there is no anchor &nobody before this; put a text that begins with \* in quotes$/,
    ],
    [
      `name: x\nvars:\n${"abcdefgh".replace(/./g, (one, at: number) => `  ${one}: &${one} [${at === 0 ? "1" : `*${"abcdefgh"[at - 1]}, `.repeat(9)}]\n`)}`,
      /^4:10 the aliases expand to too much/,
    ],
    [Buffer.from("name: x\ndescription: caf\u00e9\n", "latin1"), /^2:17 is not UTF-8 from here on$/],
  ])("and no file may have: %s", async (text, fault) => {
    expect(await faults(text as string)).toEqual([expect.stringMatching(fault)]);
  });

  it.each([
    ["vars: { a: !custom b }", /^2:12 .*the tag !custom is unknown/],
    ["vars: { a: !!js/function b }", /^2:12 .*the tag tag:yaml\.org,2002:js\/function is unknown/],
    ["vars: { a: .nan }", /^2:12 .*\.nan is no number that JSON has: it is sent as null/],
    ["vars: { __proto__: b }", /^2:9 .*a field called __proto__ is lost in many programs/],
  ])("and is warned of: %s", async (vars, warning) => {
    const { warnings } = await load(`name: x\n${vars}\nsteps: [{ advance: 1s }]\n`);
    expect(warnings.map((one) => faultText({ ...one, file: "" }).slice(1))).toEqual([
      expect.stringMatching(warning),
    ]);
  });
});
