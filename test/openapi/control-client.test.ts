import { beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { GeneratedClient } from "../support/openapi-generated.js";

interface Program {
  drive(baseUrl: string): Promise<Record<string, unknown>>;
  refused(baseUrl: string): Promise<Record<string, unknown>>;
  told(happening: object): string;
}

const client = new GeneratedClient<Program>();
beforeAll(() =>
  client.make("/_sandbox/openapi.json", "control.ts", new URL("./control-program.ts.txt", import.meta.url)),
);

describe("a client generated from the control API's document", () => {
  it("is typed: right calls compile, wrong ones do not", () => {
    expect(client.complaints).toEqual([]);
  });

  it("drives a namespace of its own over a socket", async () => {
    const { url } = await (await openSandbox()).listen({ port: 0 });
    expect(await (await client.load()).drive(url)).toEqual({
      key: "sk_test_ns_typed",
      signature: expect.stringMatching(/^v1,/),
      to: "2026-01-31T09:30:00.000Z",
      types: ["webhook.test"],
      mode: "manual",
      total: 1,
    });
  });

  it("reads refusals", async () => {
    const { url } = await (await openSandbox()).listen({ port: 0 });
    expect(await (await client.load()).refused(url)).toEqual({
      status: 408,
      code: "WAIT_TIMEOUT",
      missing: "Charge not found",
    });
  });

  it("tells what happened by its kind", async () => {
    const { told } = await client.load();
    expect(told({ kind: "attempt", attempt: 2, status: null, error: "refused" })).toBe("2: refused");
    expect(told({ kind: "transition", status: "COMPLETED" })).toBe("COMPLETED");
    expect(told({ kind: "hold", reason: "nothing listens" })).toBe("nothing listens");
  });
});
