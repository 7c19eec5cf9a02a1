import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createSandbox, SandboxError, UserError } from "../../src/library/index.js";
import { setupSandbox } from "../../src/testing/setup.js";
import { START } from "../support/api-client.js";
import { openShop } from "../support/receiver-client.js";

/** Rejected or thrown error of a method of the object. */
async function errorOf(target: object, method: string, args: readonly unknown[]): Promise<Error> {
  const call = async () =>
    (target as Record<string, (...args: readonly unknown[]) => unknown>)[method]!(...args);
  const [outcome] = await Promise.allSettled([call()]);
  if (outcome.status === "fulfilled") throw new Error("nothing was thrown");
  return outcome.reason;
}

const ignore = () => {};
const NO_HOOKS = { beforeAll: ignore, beforeEach: ignore, afterEach: ignore, afterAll: ignore };
const NO_CALL = 'control: needs a method and a path, as in control("GET", "/_sandbox/clock")';

const OPTIONS: readonly [options: object, message: string][] = [
  [{ clock: "fast" }, "createSandbox: clock must be real, manual or a speed"],
  [{ startTime: "yesterday" }, "createSandbox: startTime must be an ISO 8601 instant"],
  [{ seed: "" }, "createSandbox: seed must not be empty"],
  [{ seed: 7 }, "createSandbox: seed must be a string"],
  [{ webhookSecret: "secret" }, "createSandbox: webhookSecret must be whsec_"],
  [{ webhookTimeout: "15" }, "createSandbox: webhookTimeout must be a duration"],
  [{ webhooks: ["ftp://shop.test"] }, "createSandbox: webhooks.0.url must be an http or https URL"],
  [{ webhooks: [{ url: "a", mode: "both" }] }, "createSandbox: webhooks.0.mode must be one of test, live"],
  [{ webhooks: [{ uri: "localhost:1" }] }, "createSandbox: there is no webhooks.0.uri; did you mean url?"],
  [
    { webhooks: [{ modee: "test" }] },
    "createSandbox: there is no webhooks.0.modee; did you mean mode?\ncreateSandbox: webhooks.0.url needs a url or a mailbox",
  ],
  [{ port: 70_000 }, "createSandbox: port must be a port number"],
  [{ rateLimit: "some" }, "createSandbox: rateLimit must be"],
  [{ publicUrl: "shop" }, "createSandbox: publicUrl must be"],
  [{ allowedHosts: [""] }, "createSandbox: allowedHosts.0 must not be empty"],
  [
    { limits: { quoteValid: "1m" } },
    "createSandbox: there is no limits.quoteValid; did you mean quote_valid?",
  ],
  [{ fixtures: { methods: [{ id: "new" }] } }, "fixtures.methods.0.kind"],
  [
    { fixtures: { organisations: [], keys: [{ key: 1 }] } },
    "fixtures.keys.0.key: must be a string: put it in quotes\nfixtures.organisations: unknown field; did you mean organizations?",
  ],
  [{ webhookSecrt: "x" }, "createSandbox: there is no option webhookSecrt; did you mean webhookSecret?"],
  [{ scenario: "declind" }, 'there is no scenario "declind"; did you mean declined?'],
  [{ fixtures: "/nowhere/fixtures.yaml" }, "/nowhere/fixtures.yaml: there is no such file"],
];

it.each(OPTIONS)("createSandbox(%j) throws a UserError", async (options, message) => {
  const error = await errorOf({ createSandbox }, "createSandbox", [options]);
  expect(error).toBeInstanceOf(UserError);
  expect(error.message).toContain(message);
});

it.each([
  [{ lisen: false }, "setupSandbox: there is no option lisen; did you mean listen?"],
  [{ clock: "fast" }, "setupSandbox: clock must be real, manual or a speed"],
  [{ webhooks: "localhost:1" }, "setupSandbox: webhooks must be an array"],
  [{ reconcile: [] }, "setupSandbox: reconcile must be a function that returns the app's rows"],
] as [object, string][])(
  "setupSandbox(%j) throws a UserError in process and on a server",
  async (options, message) => {
    const { url } = await (await openShop()).sandbox.listen({ port: 0 });
    for (const server of [false as const, url]) {
      const setUp = async () => setupSandbox({ hooks: NO_HOOKS, server, ...options }).ready;
      const error = await errorOf({ setUp }, "setUp", []);
      expect(error).toBeInstanceOf(UserError);
      expect(error.message).toContain(message);
    }
  },
);

const ofTests = setupSandbox({
  hooks: { beforeAll, beforeEach, afterEach, afterAll },
  server: false,
  startTime: START,
});

it.each([
  ["listen", [{ port: 99_999 }], "listen: port must be a port number from 0 to 65535"],
  ["listen", [{ port: "4402" }], "listen: port must be a number"],
  ["listen", [{ host: "" }], "listen: host must not be empty"],
  ["listen", [{ hots: "::" }], "listen: there is no option hots; did you mean host?"],
  ["listen", [4402], "listen: its options must be an object"],
  [
    "onWebhook",
    ["x"],
    'onWebhook: needs a function; for an app at a port use the option webhooks: ["localhost:3000/webhooks"]',
  ],
  ["onWebhook", [ignore, "x"], "onWebhook: its options must be an object"],
  ["onWebhook", [ignore, { events: [] }], "onWebhook: events must not be empty"],
  ["onWebhook", [ignore, { mode: "both" }], "onWebhook: mode must be one of test, live"],
  ["onWebhook", [ignore, { secret: "short" }], "onWebhook: secret must be whsec_"],
  ["onWebhook", [ignore, { signature: "paypal" }], "onWebhook: signature must be one of"],
  ["onWebhook", [ignore, { url: "ftp://shop.test" }], "onWebhook: url must be an http or https URL"],
  ["onWebhook", [ignore, { event: ["*"] }], "onWebhook: there is no option event; did you mean events?"],
  ["runFile", [7], "runFile: file must be a string"],
  ["runFile", ["x.yaml", { var: {} }], "runFile: there is no option var; did you mean vars?"],
  ["runFile", ["x.yaml", { app: "shop" }], "runFile: app must be an absolute http or https URL"],
  ["runFile", ["x.yaml", { onStep: 1 }], "runFile: onStep must be a function"],
  ["explore", ["order.yaml"], "explore: app is required"],
  ["runFile", ["getClock"], "getClock: there is no such file"],
  ["run", ["advanceClok"], "run: there is no operation advanceClok; did you mean advanceClock?"],
  ["run", ["createQuot"], "run: there is no operation createQuot; did you mean createQuote?"],
  ["run", ["x.yaml"], "run: there is no operation x.yaml; a scenario file runs with runFile(path)"],
  ["run", [7], "run: there is no operation 7; a scenario file runs with runFile(path)"],
  ["checkWebhook", ["ftp://x"], "checkWebhook: url must be"],
  ["checkWebhook", ["localhost:1", { timeout: "0s" }], "checkWebhook: timeout must be more"],
  ["control", ["/_sandbox/faults"], NO_CALL],
  ["control", ["GET"], NO_CALL],
  ["control", ["GET", "_sandbox/clock"], NO_CALL],
  ["control", ["G3T", "/_sandbox/clock"], NO_CALL],
  ["control", [undefined, "/_sandbox/clock"], NO_CALL],
])("%s() with invalid arguments throws a UserError: %j", async (method, args, message) => {
  const { sandbox } = await openShop();
  for (const target of method === "listen" ? [sandbox] : [sandbox, ofTests]) {
    const error = await errorOf(target, method, args);
    expect(error).toBeInstanceOf(UserError);
    expect(error.message).toContain(message);
  }
});

const NOT_A_TARGET = "must be an ISO 8601 instant, a duration such as 30m, next or idle, not";
const KEEP = "must be one of webhooks, keys, scenarios";
const PAST = `must not be earlier than the time it is: ${START}`;

/** Arguments that the control API refuses. */
const CHECKED_BY_CONTROL: [method: string, args: unknown[], details: Record<string, unknown>][] = [
  ["transition", ["ch_1", "PAID"], { to: expect.stringMatching(/^must be one of PENDING, /) }],
  ["transition", ["ch_1", undefined], { to: "is required" }],
  ["transition", ["ch_1", "FAILED", ""], { reason: "must not be empty" }],
  ["advance", ["xx"], { to: `${NOT_A_TARGET} "xx"` }],
  ["advance", [5], { to: `${NOT_A_TARGET} 5` }],
  ["advance", [undefined], { to: `${NOT_A_TARGET} undefined` }],
  ["advance", [new Date(Number.NaN)], { to: `${NOT_A_TARGET} null` }],
  ["advance", [new Date(0)], { to: PAST }],
  ["advance", ["3000000d"], { by: "goes beyond the year 9999" }],
  ["reset", [{ keep: ["x"] }], { "keep.0": KEEP }],
  ["reset", [{ keep: "webhooks" }], { keep: expect.stringContaining("must be an array") }],
  ["reset", [{ ids: "other" }], { ids: "must be repeat" }],
  ["reset", [{ kep: [] }], { kep: "is not a known field; did you mean keep?" }],
  ["reset", [null], { body: "must be a JSON object" }],
  [
    "control",
    ["POST", "/_sandbox/reset", { keep: ["nope"], ids: 1 }],
    { "keep.0": KEEP, ids: "must be repeat" },
  ],
];

it.each(CHECKED_BY_CONTROL)(
  "%s() with arguments that the control API refuses throws a SandboxError: %j",
  async (method, args, details) => {
    const { sandbox } = await openShop();
    const before = sandbox.snapshot();
    const errors = [await errorOf(sandbox, method, args), await errorOf(ofTests, method, args)];
    for (const error of errors) {
      expect(error).toBeInstanceOf(SandboxError);
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", details });
      expect(Object.keys((error as SandboxError).details!)).toEqual(Object.keys(details));
    }
    const texts = Object.entries((errors[0] as SandboxError).details!).map((one) => one.join(" "));
    expect(errors[0]!.message).toContain(` (VALIDATION_ERROR); ${texts.join("; ")}`);
    expect(errors[1]!.message).toBe(errors[0]!.message);
    expect(sandbox.snapshot()).toEqual(before);
  },
);

it("transition() with a number as ID throws a SandboxError", async () => {
  const { sandbox } = await openShop();
  await expect(sandbox.transition(7 as never, "FAILED")).rejects.toThrow("chargeId must be a string");
});
