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

/** Faults of a file, without its name. */
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

  it("given as text have the type of the file's own", async () => {
    const text = 'name: s\nvars: { n: 1, yes: false }\nfaults: [{ delay: 1s, times: "$' + '{n}" }]';
    const { scenario } = await load(text, { vars: { n: "3" } });
    expect(scenario.faults).toEqual([{ delay: "1s", times: 3 }]);
    expect(await faults(text, { vars: { n: "many" } })).toEqual(["3:23 faults.0.times: must be a number"]);
  });

  it("can hold records, and be read by path", async () => {
    const { scenario } = await load(
      'name: s\nvars: { who: { email: a@b.test } }\ncharges: [{ match: { customer_email: "$' +
        '{who.email}" }, timeline: [] }]',
    );
    expect(scenario.charges?.[0]?.match).toEqual({ customer_email: "a@b.test" });
  });

  it("saved by a step are visible to the steps after it only", async () => {
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
  it("of all kinds parse in their order", async () => {
    const text = "nmae: x\nsteps:\n  - advance: soon\ncharges:\n  - timeline: [{ after: 1, to: PAID }]\n";
    expect((await faults(text)).map((fault) => fault.split(" ")[0])).toEqual(["1:1", "3:5", "5:18", "5:28"]);
  });

  it("can be up to a thousand", async () => {
    expect(await faults(flow("  - advance: 1s\n".repeat(1_000)))).toEqual([]);
    expect(await faults(flow("  - advance: 1s\n".repeat(1_001)))).toEqual([
      "2:1 steps: must have at most 1000 entries",
    ]);
  });
});

describe("YAML that parses", () => {
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
  ])("is refused: %s", async (text, fault) => {
    expect(await faults(text as string)).toEqual([expect.stringMatching(fault)]);
  });

  it.each([
    ["vars: { a: !custom b }", /^2:12 .*the tag !custom is unknown/],
    ["vars: { a: !!js/function b }", /^2:12 .*the tag tag:yaml\.org,2002:js\/function is unknown/],
    ["vars: { a: .nan }", /^2:12 .*\.nan is no number that JSON has: it is sent as null/],
    ["vars: { __proto__: b }", /^2:9 .*a field called __proto__ is lost in many programs/],
  ])("gets a warning: %s", async (vars, warning) => {
    const { warnings } = await load(`name: x\n${vars}\nsteps: [{ advance: 1s }]\n`);
    expect(warnings.map((one) => faultText({ ...one, file: "" }).slice(1))).toEqual([
      expect.stringMatching(warning),
    ]);
  });
});
