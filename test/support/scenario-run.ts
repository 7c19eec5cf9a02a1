import { expect } from "vitest";
import type { RunFileOptions, Sandbox } from "../../src/library/index.js";
import type { RunReport, StepReport } from "../../src/tools/scenario/running/run-report.js";
import { openSandbox } from "./api-client.js";
import { temporaryFile } from "./folders.js";

/** Writes a file in a new temporary folder. */
export function fileWith(text: string, name = "scenario.yaml"): string {
  return temporaryFile(name, text);
}

/** Runs a scenario with these steps, by default in a new sandbox. */
export async function runSteps(
  steps: string,
  { rules = "", sandbox, ...options }: RunFileOptions & { rules?: string; sandbox?: Sandbox } = {},
): Promise<RunReport> {
  const file = fileWith(`name: flow\n${rules}\nsteps:\n${steps.replace(/^\n+/, "").replace(/\s+$/, "")}\n`);
  return (sandbox ?? (await openSandbox())).runFile(file, options);
}

/** Runs a scenario and checks that all steps pass. */
export async function expectPassed(...run: Parameters<typeof runSteps>): Promise<RunReport> {
  const report = await runSteps(...run);
  expect(failed(report)).toBeUndefined();
  return report;
}

/** Returns the step that did not pass, if any. */
export function failed(report: RunReport): StepReport | undefined {
  return report.steps.find(({ outcome }) => outcome === "failed" || outcome === "error");
}

/** Returns steps that create a quote and a charge. */
export function pays(email: string, amount = "500.00", phone = "+254700000001"): string {
  const common = `pricing: { base_currency: KES, amount: "${amount}" }, payment_method: mobile_money`;
  return `
  - request: POST /api/v1/payments/quotes
    body: { ${common} }
    save: { quote: body.quote_id }
  - request: POST /api/v1/payments/whitelabel
    body: { ${common}, quote_id: "\${quote}", customer_email: "${email}", phone_number: "${phone}" }
    save: { charge: body.charge_id }`;
}
