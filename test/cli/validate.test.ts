import { expect, it } from "vitest";
import { run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";

const DURATION = "a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m";

it.each([
  ["hold: webhok", `must be webhook, idle or ${DURATION}; did you mean webhook?`],
  ["hold: soon", `must be webhook, idle or ${DURATION}`],
  ["hold: 30", `must be webhook, idle or ${DURATION}`],
  ["hold: 9999999d", "is too long: a duration is at most 3660000d, which is 10,000 years"],
  ["stale: last_chnge", `must be last_change or ${DURATION}; did you mean last_change?`],
])("validate lists all allowed values of a fault's %s", async (field, message) => {
  const file = fileWith(`name: x\nfaults:\n  - { match: { operation: createQuote }, ${field} }\n`);
  const { code, stdout } = await run(["validate", file]);
  const [name] = field.split(":");
  expect({ code, stdout }).toEqual({ code: 2, stdout: `${file}:3:42 faults.0.${name}: ${message}\n` });
});
