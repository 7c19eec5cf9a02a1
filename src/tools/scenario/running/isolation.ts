import type { Client } from "./client.js";
import type { Leftovers } from "./leftovers.js";

/** What the state is kept as in a run. */
export function snapshotOf(runId: string): string {
  return `run-${runId}`;
}

/** Keeps the state as it is now, and brings it back when all else has been put back. */
export async function keepState(client: Client, runId: string, leftovers: Leftovers): Promise<void> {
  const name = snapshotOf(runId);
  await client.must("POST", "/snapshots", { name });
  leftovers.add("the state", async () => {
    await client.must("POST", `/snapshots/${name}/restore?wait=10s`);
    await client.undo("DELETE", `/snapshots/${name}`);
  });
}
