import { expect, it } from "vitest";
import { mergeRepairs } from "../../src/tools/compare/repairs.js";
import { documented } from "../support/documented.js";
import { compareWith, startServices } from "./support/compared.js";
import { runConformance } from "./support/conformance.js";

/** Repaired services, each with the tests of the service's rules that fail then: they expect what is repaired. */
const FAILING = {
  code_401: [
    "an invalid Authorization header returns 401 for every operation: %.50s [R20.2 R22.21 R23.12 R27.1 R27.7 R29.3]",
  ],
  quote_valid: [
    "a quote has exactly the documented fields [R11.1 R25.1]",
    "a quote is valid for 30 s and locks its price for 10 min [R25.2 R30.4]",
    "a quote is valid for less than 30 s [R22.8 R22.22 R30.3]",
  ],
  url_renamed: [
    "POST checkouts returns a link to a page at the server's or public URL [R1.3 R25.5]",
    "POST checkouts returns exactly the documented fields [R25.5]",
  ],
  no_metadata_in_hook: [
    "a payout shows the same status in reads and webhooks [R1.8]",
    "a webhook has the same bytes as a read of the charge [R1.17 R28.6]",
    "an expired checkout sends a webhook with the final status and metadata [R13.4 R18.6 R28.3 R28.4]",
  ],
  fees_card: [
    "a local price is settled exactly in its currency [R5.5]",
    "a quote has exactly the documented fields [R11.1 R25.1]",
  ],
} as const;

it("with a config that follows five services, all tests of rules pass but those that expect what it follows", async () => {
  documented.isChecked = false;
  const services = await startServices(Object.keys(FAILING));
  const compared = Object.values(services).map((service) => compareWith(service, { repair: true }));
  const repairs = (await Promise.all(compared)).map(({ repair }) => repair);
  const { passed, failed } = await runConformance(mergeRepairs(repairs));
  expect(failed).toEqual([...new Set(Object.values(FAILING).flat())].sort());
  expect(passed).toBeGreaterThan(200);
});
