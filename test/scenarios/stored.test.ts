import { expect, it } from "vitest";
import type { SandboxOptions } from "../../src/library/index.js";
import { temporaryFile, temporaryFolder } from "../support/folders.js";
import { openShop } from "../support/receiver-client.js";

/** A scenario stored under a built-in name. */
const OURS = { description: "Ours", charges: [{ timeline: [{ after: "0s", to: "EXPIRED" }] }] };
const FILE =
  "name: declined\ndescription: Of a file\ncharges: [{ timeline: [{ after: 0s, to: CANCELLED }] }]\n";

interface Shown {
  readonly description: string;
  readonly active: boolean;
}

/** Returns a function that starts a sandbox on the same data. */
function createStarter() {
  const data = `${temporaryFolder()}/data.json`;
  return async (options: SandboxOptions = {}) => {
    const { sandbox, client } = await openShop({ ...options, data, clock: "manual" });
    const shown = async (name: string) => (await client.ask<Shown>(`GET /_sandbox/scenarios/${name}`)).body;
    const statusBy = async (scenario: string) =>
      ((await client.charge(await client.pay({ scenario }))).body as { status: string }).status;
    return { sandbox, client, shown, statusBy };
  };
}

it("a scenario with a built-in name survives a restart", async () => {
  const run = createStarter();
  const before = await run();
  for (const name of ["declined", "default"])
    await before.client.ask(`PUT /_sandbox/scenarios/${name}`, OURS);
  await before.client.ask("POST /_sandbox/scenarios/declined/activate");
  await before.sandbox.close();
  for (let start = 0; start < 2; start++) {
    const { sandbox, client, shown, statusBy } = await run();
    expect(await shown("declined")).toMatchObject({ description: "Ours", active: true });
    expect(await shown("default")).toMatchObject({ description: "Ours", active: false });
    expect(await statusBy("declined")).toBe("EXPIRED");
    expect(await shown("success")).toMatchObject({ active: false });
    if (start === 1) {
      await client.ask("POST /_sandbox/reset");
      expect((await shown("declined")).description).not.toBe("Ours");
    }
    await sandbox.close();
  }
  const { sandbox, shown } = await run();
  expect((await shown("declined")).description).not.toBe("Ours");
  await sandbox.close();
});

it("a stored scenario is replaced by a file of the same name", async () => {
  const run = createStarter();
  const before = await run();
  await before.client.ask("PUT /_sandbox/scenarios/declined", OURS);
  await before.sandbox.close();

  const named = await run({ scenario: "declined" });
  expect(await named.shown("declined")).toMatchObject({ description: "Ours", active: true });
  await named.sandbox.close();

  const filed = await run({ scenario: temporaryFile("declined.yaml", FILE) });
  expect(await filed.shown("declined")).toMatchObject({ description: "Of a file", active: true });
  await filed.sandbox.close();

  const after = await run();
  expect((await after.shown("declined")).description).not.toBe("Ours");
  await after.sandbox.close();
});
