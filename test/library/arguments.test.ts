import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createSandbox, type Sandbox, SandboxError, UserError } from "../../src/library/index.js";
import { setupSandbox, type TestSandbox } from "../../src/testing/setup.js";
import { START } from "../support/api-client.js";
import { openShop } from "../support/receiver-client.js";

type Call = (sandbox: Sandbox) => unknown;

/** Invalid arguments that the library refuses. */
const CHECKED_HERE: [title: string, call: Call, message: string][] = [
  ...(
    [
      [{ clock: "fast" }, "createSandbox: clock must be real, manual or a speed"],
      [{ startTime: "yesterday" }, "createSandbox: startTime must be an ISO 8601 instant"],
      [{ seed: "" }, "createSandbox: seed must not be empty"],
      [{ seed: 7 }, "createSandbox: seed must be a string"],
      [{ webhookSecret: "secret" }, "createSandbox: webhookSecret must be whsec_"],
      [{ webhookTimeout: "15" }, "createSandbox: webhookTimeout must be a duration"],
      [{ webhooks: ["ftp://shop.test"] }, "createSandbox: webhooks.0.url must be an http or https URL"],
      [
        { webhooks: [{ url: "a", mode: "both" }] },
        "createSandbox: webhooks.0.mode must be one of test, live",
      ],
      [
        { webhooks: [{ uri: "localhost:1" }] },
        "createSandbox: there is no webhooks.0.uri; did you mean url?",
      ],
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
    ] as [object, string][]
  ).map(([options, message]): [string, Call, string] => [
    `createSandbox(${JSON.stringify(options)})`,
    () => createSandbox(options),
    message,
  ]),
  ...(
    [
      [{ lisen: false }, "setupSandbox: there is no option lisen; did you mean listen?"],
      [{ clock: "fast" }, "setupSandbox: clock must be real, manual or a speed"],
      [{ webhooks: "localhost:1" }, "setupSandbox: webhooks must be an array"],
      [{ reconcile: [] }, "setupSandbox: reconcile must be a function that returns the app's rows"],
    ] as [object, string][]
  ).flatMap(([options, message]) =>
    ["in process", "on a server"].map((where): [string, Call, string] => [
      `setupSandbox(${JSON.stringify(options)}) ${where}`,
      async (sandbox) => {
        const server = where === "in process" ? false : (await sandbox.listen({ port: 0 })).url;
        const ignore = () => {};
        const hooks = { beforeAll: ignore, beforeEach: ignore, afterEach: ignore, afterAll: ignore };
        await setupSandbox({ hooks, server, ...options }).ready;
      },
      message,
    ]),
  ),
  [
    "listen: port",
    (one) => one.listen({ port: 99_999 }),
    "listen: port must be a port number from 0 to 65535",
  ],
  ["listen: a text as port", (one) => one.listen({ port: "4402" as never }), "listen: port must be a number"],
  ["listen: no host", (one) => one.listen({ host: "" }), "listen: host must not be empty"],
  [
    "listen: unknown option",
    (one) => one.listen({ hots: "::" } as never),
    "listen: there is no option hots; did you mean host?",
  ],
  ["listen: a number", (one) => one.listen(4402 as never), "listen: its options must be an object"],
  [
    "onWebhook: a text",
    (one) => one.onWebhook("x" as never),
    'onWebhook: needs a function; for an app at a port use the option webhooks: ["localhost:3000/webhooks"]',
  ],
  ...(
    [
      ["x", "onWebhook: its options must be an object"],
      [{ events: [] }, "onWebhook: events must not be empty"],
      [{ mode: "both" }, "onWebhook: mode must be one of test, live"],
      [{ secret: "short" }, "onWebhook: secret must be whsec_"],
      [{ signature: "paypal" }, "onWebhook: signature must be one of"],
      [{ url: "ftp://shop.test" }, "onWebhook: url must be an http or https URL"],
      [{ event: ["*"] }, "onWebhook: there is no option event; did you mean events?"],
    ] as [never, string][]
  ).map(([options, message]): [string, Call, string] => [
    `onWebhook: ${JSON.stringify(options)}`,
    (one) => one.onWebhook(() => 200, options),
    message,
  ]),
  ["run: a number", (one) => one.run(7 as never), "run: file must be a string"],
  [
    "run: unknown option",
    (one) => one.run("x.yaml", { var: {} } as never),
    "run: there is no option var; did you mean vars?",
  ],
  ["run: app", (one) => one.run("x.yaml", { app: "shop" }), "run: app must be an absolute http or https URL"],
  [
    "run: an operation of the service",
    (one) => one.run("createQuote"),
    "run: createQuote is an operation of the service; call it with fetch or an HTTP client",
  ],
  ["run: a callback", (one) => one.run("x.yaml", { onStep: 1 as never }), "run: onStep must be a function"],
  ["checkWebhook: URL", (one) => one.checkWebhook("ftp://x"), "checkWebhook: url must be"],
  [
    "checkWebhook: timeout",
    (one) => one.checkWebhook("localhost:1", { timeout: "0s" }),
    "checkWebhook: timeout must be more",
  ],
  ...[
    ["/_sandbox/faults"],
    ["GET"],
    ["GET", "_sandbox/clock"],
    ["G3T", "/_sandbox/clock"],
    [undefined, "/_sandbox/clock"],
  ].map((call): [string, Call, string] => [
    `control: ${call.join(", ")}`,
    (one) => one.control(...(call as [string])),
    'control: needs a method and a path, as in control("GET", "/_sandbox/clock")',
  ]),
];

const NOT_A_TARGET = "must be an ISO 8601 instant, a duration such as 30m, next or idle, not";
const KEEP = "must be one of webhooks, keys, scenarios";

/** Invalid arguments that the control API refuses. */
const CHECKED_BY_CONTROL: [
  title: string,
  call: (one: Sandbox | TestSandbox) => Promise<unknown>,
  details: Record<string, unknown>,
][] = [
  [
    "transition: status",
    (one) => one.transition("ch_1", "PAID" as never),
    { to: expect.stringMatching(/^must be one of PENDING, /) },
  ],
  ["transition: no status", (one) => one.transition("ch_1", undefined as never), { to: "is required" }],
  ["transition: reason", (one) => one.transition("ch_1", "FAILED", ""), { reason: "must not be empty" }],
  ["advance: a text", (one) => one.advance("xx"), { to: `${NOT_A_TARGET} "xx"` }],
  ["advance: a number", (one) => one.advance(5 as never), { to: `${NOT_A_TARGET} 5` }],
  ["advance: nothing", (one) => one.advance(undefined as never), { to: `${NOT_A_TARGET} undefined` }],
  ["advance: an invalid Date", (one) => one.advance(new Date(Number.NaN)), { to: `${NOT_A_TARGET} null` }],
  [
    "advance: a past instant",
    (one) => one.advance(new Date(0)),
    { to: `must not be earlier than the time it is: ${START}` },
  ],
  ["advance: beyond 9999", (one) => one.advance("3000000d"), { by: "goes beyond the year 9999" }],
  ["reset: keep", (one) => one.reset({ keep: ["x"] as never }), { "keep.0": KEEP }],
  [
    "reset: no list",
    (one) => one.reset({ keep: "webhooks" as never }),
    { keep: expect.stringContaining("must be an array") },
  ],
  ["reset: ids", (one) => one.reset({ ids: "other" as never }), { ids: "must be repeat" }],
  [
    "reset: unknown option",
    (one) => one.reset({ kep: [] } as never),
    { kep: "is not a known field; did you mean keep?" },
  ],
  ["reset: null", (one) => one.reset(null as never), { body: "must be a JSON object" }],
  [
    "control: body",
    (one) => one.control("POST", "/_sandbox/reset", { keep: ["nope"], ids: 1 }),
    { "keep.0": KEEP, ids: "must be repeat" },
  ],
];

const hooks = { beforeAll, beforeEach, afterEach, afterAll };
const ofTests = setupSandbox({ hooks, server: false, startTime: START });

async function errorOf<One>(sandbox: One, call: (sandbox: One) => unknown): Promise<Error> {
  const [outcome] = await Promise.allSettled([Promise.resolve(sandbox).then(call)]);
  if (outcome.status === "fulfilled") throw new Error("nothing was thrown");
  return outcome.reason;
}

it.each(CHECKED_HERE)("an invalid argument throws a UserError: %s", async (_title, call, message) => {
  const error = await errorOf((await openShop()).sandbox, call);
  expect(error).toBeInstanceOf(UserError);
  expect(error.message).toContain(message);
});

it.each(CHECKED_BY_CONTROL)(
  "an argument that the control API refuses throws a SandboxError: %s",
  async (_title, call, details) => {
    const { sandbox } = await openShop();
    const before = sandbox.snapshot();
    const errors = [await errorOf<Sandbox | TestSandbox>(sandbox, call), await errorOf(ofTests, call)];
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
