// biome-ignore-all lint/suspicious/noExplicitAny: documents have no type.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { mergeYaml } from "../../src/cli/compare-files.js";
import { OPERATION_IDS } from "../../src/core/schema/operation-ids.js";
import { CALLS_MAX } from "../../src/tools/compare/compare.js";
import { isRetryUnsure } from "../../src/tools/compare/differences.js";
import { planProbes, readTables } from "../../src/tools/compare/plan.js";
import { Side } from "../../src/tools/compare/side.js";
import { RETRY_KEY } from "../../src/tools/compare/webhooks.js";
import { openApi } from "../support/api-client.js";

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

async function planned(payouts: boolean) {
  const api = await openApi();
  const document = await api.get<any>("/openapi.json");
  const { body } = await api.get<any>("/api/v1/payments/payment-methods");
  const tables = await readTables();
  return planProbes({
    document: document.body,
    tables,
    methods: body.payment_methods,
    payouts,
  });
}

it("every operation has a call that works, and each with a body has those that its schema refuses", async () => {
  const probes = await planned(true);
  const working = new Set(probes.filter(({ bad }) => !bad).map(({ operation }) => operation));
  expect([...working].sort()).toEqual([...OPERATION_IDS].sort());
  const ids = probes.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const operation of ["createQuote", "createWhitelabel", "createCheckout"])
    for (const kind of ["empty", "types", "below", "above"])
      expect(ids).toContain(`${operation} invalid ${kind}`);
});

it("the calls are within the limit, and no withdrawal is made unasked", async () => {
  expect((await planned(true)).length).toBeLessThanOrEqual(CALLS_MAX - 6);
  const probes = await planned(false);
  expect(probes.length).toBeLessThanOrEqual(85);
  expect(probes.filter(({ operation }) => operation === "createWithdrawal")).toEqual([]);
});

it("a value of the service may have quotes and line ends", () => {
  const webhookUrl = 'https://shop.test/"a"\n';
  const side = new Side({ key: "sk_test_a", url: "", webhookUrl, send: () => Promise.reject(new Error()) });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as in the table
  const probe = { id: "a", operation: "a", method: "POST", path: "/", body: { url: "${webhook_url}" } };
  expect(side.fill(probe)?.body).toEqual({ url: webhookUrl });
});

it("every assumption and rule that the tables name exists", async () => {
  const assumptions = Object.values<unknown[]>(parse(file("scripts/docs/assumptions.yaml"))).flatMap(
    (rows, section) => rows.map((_row, index) => `A${section + 1}.${index + 1}`),
  );
  const rules = Object.values<object>(parse(file("docs/rules.yaml"))).flatMap(Object.keys);
  const known = new Set([...assumptions, ...rules]);
  const { probes, places } = await readTables();
  const named = [
    ...probes.flatMap(({ decides = [] }) => decides),
    ...places.flatMap(([, , ...decides]) => decides),
  ];
  expect(named.filter((one) => !known.has(one))).toEqual([]);
});

it.each([
  ["", { rates: { KES: "130.5" } }, 'rates:\n  KES: "130.5"\n'],
  ["# mine\n", { signature: "stripe" }, "# mine\n\nsignature: stripe\n"],
  [
    "fees: # in percent\n  card: { platform_percent: '1.0' } # card\n",
    { fees: { card: { gateway_percent: "2.4" } } },
    "fees:\n  # in percent\n  card: { platform_percent: '1.0', gateway_percent: \"2.4\" } # card\n",
  ],
  [
    "currencies:\n  # Shillings.\n  - { code: UGX, rate: '3650' }\n",
    {
      currencies: [
        { code: "UGX", decimals: 0 },
        { code: "KES", decimals: 0 },
      ],
    },
    "currencies:\n  # Shillings.\n  - { code: UGX, rate: '3650', decimals: 0 }\n  - code: KES\n    decimals: 0\n",
  ],
])("a change of %j keeps what is there", (text, change, expected) => {
  expect(mergeYaml(text, change)).toBe(expected);
});

it.each([
  ["5 s", "5 s", false],
  ["4 s, give or take 2", "5 s", false],
  ["3 s, give or take 2", "5 s", true],
  ["2 s, give or take 2", "5 s", false],
  ["not soon", "5 s", false],
])("a first retry after %s beside ours after %s is too slow to tell: %s", (theirs, ours, isUnsure) => {
  const [a, b] = [theirs, ours].map((wait) => ({
    [RETRY_KEY]: { status: 0, fields: { "first retry": `text: ${wait}` } },
  }));
  expect(isRetryUnsure(a!, b!)).toBe(isUnsure);
});
