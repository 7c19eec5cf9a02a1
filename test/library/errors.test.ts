import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox, SandboxError, type SandboxOptions } from "../../src/library/index.js";
import { setupSandbox, type TestSandbox } from "../../src/testing/index.js";

const START = "2026-01-31T09:00:00.000Z";

describe("a wrong argument", () => {
  const hooks = { beforeAll, beforeEach, afterEach, afterAll };
  const test = setupSandbox({ hooks, server: false, startTime: START });

  const calls: [string, (sandbox: Sandbox | TestSandbox) => Promise<unknown>, Record<string, string>][] = [
    [
      "transition to no status",
      (one) => one.transition("ch_1", "PAID" as never),
      { to: expect.stringMatching(/^must be one of PENDING, /) },
    ],
    ["transition to nothing", (one) => one.transition("ch_1", undefined as never), { to: "is required" }],
    [
      "transition without a reason",
      (one) => one.transition("ch_1", "FAILED", ""),
      { reason: "must not be empty" },
    ],
    [
      "advance by nonsense",
      (one) => one.advance("xx"),
      { to: 'must be an ISO 8601 instant, a duration such as 30m, next or idle, not "xx"' },
    ],
    [
      "advance to no instant",
      (one) => one.advance(new Date(Number.NaN)),
      { to: "must be an ISO 8601 instant, a duration such as 30m, next or idle, not null" },
    ],
    [
      "advance into the past",
      (one) => one.advance("2020-01-01T00:00:00Z"),
      { to: `must not be earlier than the time it is: ${START}` },
    ],
    ["advance beyond time", (one) => one.advance("3000000d"), { by: "goes beyond the year 9999" }],
    [
      "reset that keeps nonsense",
      (one) => one.reset({ keep: ["x"] as never }),
      { "keep.0": "must be one of webhooks, keys, scenarios" },
    ],
    [
      "reset with an unknown option",
      (one) => one.reset({ kep: [] } as never),
      { kep: "is not a known field; did you mean keep?" },
    ],
    ["reset with null", (one) => one.reset(null as never), { body: "must be a JSON object" }],
  ];

  it.each(calls)("is the same error from HTTP and the library: %s", async (_what, call, details) => {
    await using own = await createSandbox({ clock: "manual", startTime: START });
    const errors = await Promise.all(
      [own, test].map((sandbox) =>
        Promise.resolve(sandbox)
          .then(call)
          .catch((error: unknown) => error),
      ),
    );
    for (const error of errors) {
      expect(error).toBeInstanceOf(SandboxError);
      const { code, message, details: found } = error as SandboxError;
      expect({ code, details: found }).toEqual({ code: "VALIDATION_ERROR", details });
      const [[field, text]] = Object.entries(found!) as [[string, string]];
      expect(message).toContain(`(VALIDATION_ERROR); ${field} ${text}`);
    }
    expect((errors[0] as Error).message).toBe((errors[1] as Error).message);
  });
});

it.each([
  [
    { fixtures: { organisations: [], keys: [{ key: 1 }] } },
    "fixtures.keys.0.key: must be a string: put it in quotes\nfixtures.organisations: unknown field; did you mean organizations?",
  ],
  [{ webhooks: [{ uri: "localhost:1" }] }, "createSandbox: there is no webhooks.0.uri; did you mean url?"],
  [
    { webhooks: [{ modee: "test" }] },
    "createSandbox: there is no webhooks.0.modee; did you mean mode?\ncreateSandbox: webhooks.0.url needs a url or a mailbox",
  ],
])("createSandbox(%j) reports the fault once, with its place", async (options, message) => {
  await expect(createSandbox(options as unknown as SandboxOptions)).rejects.toThrow(
    expect.objectContaining({ name: "UserError", message }),
  );
});
