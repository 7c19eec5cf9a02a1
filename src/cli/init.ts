import { existsSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { OPTION_TOPICS, OPTIONS } from "../core/schema/option-table.js";
import { systemErrorText } from "../core/schema/system-error-text.js";
import { UserError } from "../core/schema/user-error.js";
import { CONFIG_FILE_NAMES } from "./options.js";
import { printText } from "./terminal.js";

const CONFIG_FILE = CONFIG_FILE_NAMES[0]!;
const SCENARIO_FILE = "payments-sandbox.scenario.yaml";

/** `init`: writes a config and an example scenario, and prints a CI snippet. Never overwrites. */
export function init(): void {
  // A config with another extension counts as existing, because only one config is read.
  const config = CONFIG_FILE_NAMES.find((name) => existsSync(name));
  const said = [
    config === undefined ? writeNew(CONFIG_FILE, configText()) : unchanged(config),
    writeNew(SCENARIO_FILE, `# yaml-language-server: $schema=${editorSchema()}\n${SCENARIO}`),
  ];
  printText(`${said.join("\n")}\n\n${NEXT}`);
}

function writeNew(file: string, text: string): string {
  try {
    writeFileSync(file, text, { flag: "wx" });
    return `${file}: written`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return unchanged(file);
    const reason = systemErrorText(error);
    throw new UserError(`${file} cannot be written here: ${reason}; run init in a folder you may write to`);
  }
}

const unchanged = (file: string): string => `${file}: already exists; left unchanged`;

/** A config with every key in a comment, so it changes nothing. */
function configText(): string {
  const head = [
    "# Configuration of payments-sandbox, read by every command that starts one in this folder.",
    "# Every line here is off: take its # away to turn it on. A variable (PAYMENTS_SANDBOX_PORT) and a flag (--port)",
    "# go before the file. Check it with: npx payments-sandbox validate payments-sandbox.config.yaml",
  ];
  const options = Object.entries(OPTIONS);
  const lines = OPTION_TOPICS.flatMap((topic) =>
    options.flatMap(([key, { topic: of, help: says, sample }]) =>
      of === topic ? ["", `# ${says}`, `#${key}: ${sample}`] : [],
    ),
  );
  return `${[...head, ...lines].join("\n")}\n`;
}

/** Path of the schema in the nearest \`node_modules\` that has it; where none has, that of this folder's. */
function editorSchema(): string {
  const file = "node_modules/payments-sandbox/scenarios/schema.json";
  for (let folder = "."; ; folder = join(folder, "..")) {
    if (existsSync(join(folder, file))) return join(folder, file).replaceAll(sep, "/");
    if (resolve(folder) === resolve(folder, "..")) return file;
  }
}

const SCENARIO = `# A scenario says what becomes of payments; with steps it is a test. It counts only where it is asked for:
#   npx payments-sandbox run ${SCENARIO_FILE}          carries out the steps
#   npx payments-sandbox --scenario ${SCENARIO_FILE}   your app meets the rules
name: example
description: A big payment is declined. The customer pays half of it.
vars:
  email: "ada+\${run.id}@example.com"
  half: { base_currency: KES, amount: "500.00" }

charges: # the first rule that matches; where none does, the default scenario decides
  - match: { customer_email: "ada*", base_amount: { gte: "1000" } }
    timeline: # each time counts from the entry before
      - { after: 2s, to: AWAITING_PAYMENT }
      - { after: 20s, to: FAILED, reason: limit_exceeded }

steps: # request: calls the sandbox; app: POST /orders, with --app URL, calls your app
  - name: A quote for the whole
    request: POST /api/v1/payments/quotes
    body: { pricing: { base_currency: KES, amount: "1000.00" }, payment_method: mobile_money }
    expect: { status: 200 }
    save: { quote: body.quote_id }
  - name: Ada wants to pay it
    request: POST /api/v1/payments/whitelabel
    body:
      quote_id: "\${quote}"
      pricing: { base_currency: KES, amount: "1000.00" }
      payment_method: mobile_money
      customer_email: "\${email}"
      phone_number: "+254700000001"
    save: { declined: body.charge_id }
  - advance: 22s # sandbox time: nobody waits
  - expect_charge: { charge_id: "\${declined}", status: FAILED, failure_reason: limit_exceeded }
  - name: A quote for half of it
    request: POST /api/v1/payments/quotes
    body: { pricing: "\${half}", payment_method: mobile_money }
    save: { quote: body.quote_id }
  - name: Ada pays half of it
    request: POST /api/v1/payments/whitelabel
    body:
      quote_id: "\${quote}"
      pricing: "\${half}"
      payment_method: mobile_money
      customer_email: "\${email}"
      phone_number: "+254700000001"
    save: { paid: body.charge_id }
  - advance: 10s
  - expect_charge: { charge_id: "\${paid}", status: COMPLETED }
  - expect_webhook: { type: charge.completed, charge_id: "\${paid}", count: 1 }
  - expect_balance: { currency: KES, change: "+500.00" }
`;

const NEXT = `Start it:   npx payments-sandbox
Try it:     npx payments-sandbox run ${SCENARIO_FILE}
In CI:      on GitHub, as .github/workflows/test.yml

name: test
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
      - uses: actions/setup-node@v6
        with: { node-version: 24 }
      - run: npm ci
      - run: npx payments-sandbox run ${SCENARIO_FILE} --junit payments.xml
      - run: npx payments-sandbox exec -- npm test
`;
