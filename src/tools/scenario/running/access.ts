import type { Client } from "./client.js";
import type { RunContext } from "./context.js";
import { CannotRun } from "./failure.js";
import type { Leftovers } from "./leftovers.js";

export type Access = Pick<RunContext, "keys" | "organization">;

interface SandboxInfo {
  readonly api_key: string;
  readonly live_api_key: string;
  readonly keys: readonly { readonly key: string; readonly organization_id: string }[];
}

/** The keys of the namespace, and whose the test key is. */
export async function accessTo(client: Client): Promise<Access> {
  const { status, body } = await client.control("GET", "");
  const info = body as Partial<SandboxInfo> & { error?: { message?: string } };
  if (status === 200 && typeof info === "object" && info !== null && typeof info.api_key === "string") {
    const { api_key: test, live_api_key: live, keys } = info as SandboxInfo;
    const organization = keys.find(({ key }) => key === test)?.organization_id ?? "";
    return { keys: { test, live }, organization };
  }
  throw new CannotRun(info?.error?.message ?? `there is no payments-sandbox: status ${status}`);
}

/** Time stands still from here on, but for what the steps do; how it went before comes back at the end. */
export async function freezeClock(client: Client, leftovers: Leftovers): Promise<void> {
  const { mode } = (await client.must("GET", "/clock")) as { mode: string };
  if (mode === "manual") return;
  leftovers.add("the clock", () => client.must("PUT", "/clock?wait=10s", { mode }));
  await client.must("PUT", "/clock?wait=10s", { mode: "manual" });
}
