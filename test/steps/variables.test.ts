// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { expect, it } from "vitest";
import { readScenarioFile } from "../../src/tools/scenario/files.js";
import { fileWith } from "../support/scenario-run.js";

const FLOW = `
name: s
vars: { one: 1, email: "qa+\${run.id}@\${host}", host: "\${env.HOST:-shop.test}", list: [KES, UGX], user: { name: Ada }, many: 2 }
charges:
  - match: { customer_email: "\${email}", currency: "\${list}", customer_name: "\${user.name}" }
    timeline: [{ after: "\${one}s", to: FAILED, reason: "costs $\${x}" }]
webhooks:
  - { copies: "\${many}" }
`;

it("variables from any source keep the type of their default", async () => {
  const load = (many: string) =>
    readScenarioFile(fileWith(FLOW), {
      vars: { many },
      environment: { HOST: "" },
      runIdOf: (name) => `id-of-${name}`,
    });
  const { scenario } = await load("3");
  expect(scenario).toEqual({
    name: "s",
    charges: [
      {
        match: { customer_email: "qa+id-of-s@shop.test", currency: ["KES", "UGX"], customer_name: "Ada" },
        timeline: [{ after: "1s", to: "FAILED", reason: `costs $${"{x}"}` }],
      },
    ],
    webhooks: [{ copies: 3 }],
  });
  await expect(load("few")).rejects.toThrow("8:7 webhooks.0.copies: must be a number");
});

it("a variable `run` may contain the run's id", async () => {
  const file = fileWith(
    'name: s\nvars: { run: "qa-${run.id}" }\ncharges:\n  - { match: { customer_name: "${run}" }, timeline: [{ after: 1s, to: FAILED }] }\n',
  );
  const inputs = { vars: {}, environment: {}, runIdOf: (name: string) => `id-of-${name}` };
  const { scenario } = await readScenarioFile(file, inputs);
  expect(scenario).toMatchObject({ charges: [{ match: { customer_name: "qa-id-of-s" } }] });
});
