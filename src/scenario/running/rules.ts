import type { LoadedScenario } from "../files.js";
import type { Client } from "./client.js";
import type { Leftovers } from "./leftovers.js";

const LONGEST_NAME = 100;

/** Puts the file's rules on top of all others, under a name that nothing else has, until the run is over. */
export async function putRules(client: Client, loaded: LoadedScenario, leftovers: Leftovers): Promise<void> {
  const { source: _steps, ...rules } = loaded.scenario;
  const { name, charges, withdrawals, webhooks, faults } = rules;
  const count = [charges, withdrawals, webhooks, faults].reduce(
    (sum, rules) => sum + (rules?.length ?? 0),
    0,
  );
  if (count === 0) return;
  const own = await freeName(client, name, loaded.runId);
  const path = `/scenarios/${encodeURIComponent(own)}`;
  leftovers.add("the rules", async () => {
    await client.undo("POST", `${path}/deactivate`);
    await client.undo("DELETE", path);
  });
  await client.must("PUT", path, { ...rules, name: own });
  await client.must("POST", `${path}/activate`);
}

/** The scenario's own name, so that a request can ask for it, unless the sandbox knows one of that name. */
async function freeName(client: Client, name: string, runId: string): Promise<string> {
  const { status } = await client.control("GET", `/scenarios/${encodeURIComponent(name)}`);
  if (status === 404) return name;
  const ending = `.${runId}`;
  return `${name.slice(0, LONGEST_NAME - ending.length)}${ending}`;
}
