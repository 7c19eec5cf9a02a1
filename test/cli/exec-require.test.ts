import { expect, it } from "vitest";
import { CALL_REQUIRED } from "../support/light-fetch.js";
import { run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { words } from "../support/words.js";

/** Requests a quote twice, first with a lost response, then resets. */
const SUITE = `${CALL_REQUIRED}
  const ask = () => call("POST", "/api/v1/payments/quotes", PRICE);
  ask().catch(ask).then(() => call("POST", "/_sandbox/reset"));
`;
const FAULT = fileWith(
  "name: unheard\nfaults:\n  - { match: { operation: createQuote }, drop: after, times: 1 }\n",
  "unheard.yaml",
);
const required = (list: string, ...flags: string[]) =>
  run(["exec", "--quiet", ...flags, "--require", list, "--", process.execPath, "-e", SUITE]);

it("exec --require passes for situations that occurred", async () => {
  expect(await required("createQuote")).toMatchObject({ code: 0, stderr: "" });
});

it("exec --require fails and lists the situations that never occurred", async () => {
  expect(await required("createQuote, charge.expired,response_lost")).toMatchObject({
    code: 1,
    stderr: "payments-sandbox: --require: never met: charge.expired, response_lost\n",
  });
});

it("exec --require counts the runs of all mishaps together", async () => {
  const { code, stderr } = await required("createQuote,response_lost", "--under", FAULT);
  expect(code, stderr).toBe(0);
});

it.each([
  ["reponse_lost", "--require: there is nothing called reponse_lost to meet; did you mean response_lost?"],
  ["nope", "--require: there is nothing called nope to meet; npx payments-sandbox coverage lists all names"],
  [",", "--require takes the names of what has to be met, separated by commas"],
])("exec --require refuses %j before the command runs", async (list, message) => {
  expect(await required(list)).toMatchObject({ code: 2, stderr: `payments-sandbox: ${message}\n` });
});

it("exec --require keeps the exit code of a failing suite", async () => {
  const { code } = await run(words`exec --require duplicate -- ${process.execPath} -e process.exit(7)`);
  expect(code).toBe(7);
});
