import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/index.js";
import { temporaryFolder } from "../support/folders.js";
import { openShop } from "../support/receiver-client.js";

/** A sandbox, and its control API in a namespace. */
async function server(options: SandboxOptions = {}) {
  const { sandbox, client } = await openShop(options);
  const control = (namespace: string, line: string, body?: unknown) =>
    client.in(namespace).ask(line.replace(" ", " /_sandbox"), body);
  return { sandbox, control };
}

describe("snapshots on disk, under the same name in two namespaces", () => {
  const wait = (by: string) => ["POST /clock/advance", { by }] as const;
  const nowIn = async ({ control }: Awaited<ReturnType<typeof server>>, namespace: string) =>
    (await control(namespace, "GET /clock")).json.now;

  it("are two, also after the server has been away", async () => {
    const data = join(temporaryFolder(), "data.json");
    const first = await server({ data });
    await first.control("default", "POST /namespaces", { name: "ann" });
    await first.control("default", ...wait("1m"));
    await first.control("ann", ...wait("5m"));
    for (const namespace of ["default", "ann"])
      expect((await first.control(namespace, "POST /snapshots", { name: "here" })).status).toBe(200);
    await first.control("default", "POST /namespaces", { name: "bob" });
    expect((await first.control("bob", "GET /snapshots")).json.items).toEqual([]);
    await first.sandbox.close();

    const second = await server({ data, startTime: undefined, clock: undefined });
    expect((await second.control("bob", "GET /snapshots")).json.items).toEqual([]);
    for (const namespace of ["default", "ann"]) {
      await second.control(namespace, ...wait("1h"));
      expect((await second.control(namespace, "POST /snapshots/here/restore")).status).toBe(200);
    }
    expect(await nowIn(second, "default")).toBe("2026-01-31T09:01:00.000Z");
    expect(await nowIn(second, "ann")).toBe("2026-01-31T09:05:00.000Z");
  });

  it("go with their namespace, and only with theirs", async () => {
    const folder = temporaryFolder();
    const data = join(folder, "data.json");
    const { sandbox, control } = await server({ data });
    await control("default", "POST /namespaces", { name: "ann" });
    for (const namespace of ["default", "ann"]) await control(namespace, "POST /snapshots", { name: "here" });
    await control("default", "DELETE /namespaces/ann");
    expect((await control("default", "GET /snapshots")).json.total).toBe(1);
    await control("default", "POST /namespaces", { name: "ann" });
    expect((await control("ann", "GET /snapshots")).json.total).toBe(0);
    await control("default", "DELETE /namespaces/ann");
    await sandbox.close();
    expect(readdirSync(folder).filter((file) => file.includes("ann"))).toEqual([]);
    const again = await server({ data, startTime: undefined, clock: undefined });
    expect((await again.control("default", "GET /namespaces")).json.total).toBe(1);
  });
});

describe("the id of a scenario's run", () => {
  const SCENARIO = { vars: { email: "qa+$" + "{run.id}@shop.test" }, steps: [{ advance: "1s" }] };

  it("does not depend on what other namespaces have run", async () => {
    const runs = async (neighbours: number) => {
      const { control } = await server();
      for (const name of ["ann", "bob"]) await control("default", "POST /namespaces", { name });
      const run = async (namespace: string): Promise<string> => {
        await control(namespace, "PUT /scenarios/house", SCENARIO);
        return (await control(namespace, "POST /scenarios/house/run", {})).json.run_id;
      };
      for (let count = 0; count < neighbours; count++) await run("bob");
      return [await run("ann"), await run("ann")];
    };
    const alone = await runs(0);
    expect(await runs(3)).toEqual(alone);
    expect(new Set(alone).size).toBe(2);
    expect(alone[0]).toMatch(/^[0-9a-f]{8}$/);
  });

  it("starts over with the ids when a reset repeats them, and goes on otherwise", async () => {
    const { control } = await server();
    const run = async (): Promise<string> => {
      await control("default", "PUT /scenarios/house", SCENARIO);
      return (await control("default", "POST /scenarios/house/run", {})).json.run_id;
    };
    const first = [await run(), await run()];
    await control("default", "POST /reset", { ids: "repeat" });
    expect([await run(), await run()]).toEqual(first);
    await control("default", "POST /reset", {});
    expect(first).not.toContain(await run());
  });
});
