import { describe, expect, it } from "vitest";
import { openShop } from "../support/receiver-client.js";

describe("the id of a scenario's run", () => {
  const SCENARIO = { vars: { email: "qa+$" + "{run.id}@shop.test" }, steps: [{ advance: "1s" }] };

  /** Opens a sandbox with two more namespaces. */
  async function server() {
    const { client } = await openShop();
    for (const name of ["ann", "bob"]) await client.ask("POST /_sandbox/namespaces", { name });
    const run = async (namespace: string): Promise<string> => {
      await client.in(namespace).ask("PUT /_sandbox/scenarios/house", SCENARIO);
      return (await client.in(namespace).ask("POST /_sandbox/scenarios/house/run", {})).json.run_id;
    };
    return { client, run };
  }

  it("run ids do not depend on other namespaces", async () => {
    const runs = async (neighbours: number) => {
      const { run } = await server();
      for (let count = 0; count < neighbours; count++) await run("bob");
      return [await run("ann"), await run("ann")];
    };
    const alone = await runs(0);
    expect(await runs(3)).toEqual(alone);
    expect(new Set(alone).size).toBe(2);
    expect(alone[0]).toMatch(/^[0-9a-f]{8}$/);
  });

  it("a reset with repeated ids restarts run ids", async () => {
    const { client, run } = await server();
    const first = [await run("default"), await run("default")];
    await client.ask("POST /_sandbox/reset", { ids: "repeat" });
    expect([await run("default"), await run("default")]).toEqual(first);
    await client.ask("POST /_sandbox/reset", {});
    expect(first).not.toContain(await run("default"));
  });
});
