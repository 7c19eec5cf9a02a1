import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { schemaDescriptionOf } from "../../src/core/schema/descriptions.js";
import type { StartOptions } from "../../src/core/schema/option-table.js";
import { RESPONSE_SCHEMAS } from "../../src/core/schema/responses/by-operation.js";
import { configFaults, readVocabulary } from "../../src/library/options.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { fileWith } from "../support/scenario-run.js";

const SNAPSHOT = join(import.meta.dirname, "file-faults.txt");

/** Returns one line per result: `✗` for a fault, `→` for a warning, `✓` for neither. */
async function validate(text: string, options: StartOptions = {}): Promise<string[]> {
  const vocabulary = await readVocabulary(options);
  const file = fileWith(text.startsWith("---\n") ? text.slice(4) : `name: x\n${text}\n`);
  const { faults, warnings } = await validateFile(file, { environment: {}, configFaults, vocabulary });
  const line = (mark: string, { line, column, field, message }: (typeof faults)[number]) =>
    `${mark} ${line}:${column} ${field}: ${message}`;
  const lines = [...faults.map((fault) => line("✗", fault)), ...warnings.map((fault) => line("→", fault))];
  return lines.length === 0 ? ["✓"] : lines;
}

it("reports the faults and warnings listed in file-faults.txt", async () => {
  let written = "";
  const lead = /^(?:#.*)?\n/gm;
  // Each block is a scenario file and its expected result.
  for (const block of readFileSync(SNAPSHOT, "utf8")
    .split(/(?:^[✗→✓].*\n)+/m)
    .filter(Boolean)) {
    const text = block.replace(lead, "").trimEnd();
    const lines = await validate(text.startsWith("- ") ? `steps:\n  ${text}` : text);
    written += `${block}${lines.join("\n")}\n`;
  }
  await expect(written).toMatchFileSnapshot(SNAPSHOT);
});

it("does not warn about names defined in the config or fixtures", async () => {
  const currency = "{ code: XAF, type: fiat, name: Franc, decimals: 0, rate: '600' }";
  const text = `charges: [{ match: { currency: XAF }, timeline: [] }]
steps:
  - request: GET /v2/charges/ch_1
  - trigger: { type: PaymentSuccessful }`;
  const options = {
    fixtures: fileWith(`currencies: [${currency}]`),
    paths: { getCharge: "/v2/charges/{charge_id}" },
    event_names: { "charge.completed": "PaymentSuccessful" },
  };
  expect(await validate(text, options)).toEqual(["✓"]);
  expect(await validate(text)).toHaveLength(2);
  const given = `given: { fixtures: { currencies: [${currency}] } }`;
  expect(await validate(`${given}\nwithdrawals: [{ match: { currency: XAF }, timeline: [] }]`)).toEqual([
    "✓",
  ]);
});

it("each operation responds with its documented schema", () => {
  for (const { id, output } of OPERATIONS)
    expect(schemaDescriptionOf(RESPONSE_SCHEMAS[id])?.name, id).toBe(output);
});
