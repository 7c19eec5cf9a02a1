import { ruleNames } from "../../../core/domain/scenario.js";
import type { LoadedScenario } from "../files.js";
import type { Client } from "./client.js";
import type { Leftovers } from "./leftovers.js";

const LONGEST_NAME = 100;

/**
 * Puts the file's rules on top of all others until the run is over, under a name that nothing else has: that name, or
 * nothing when there are none.
 */
export async function putRules(
  client: Client,
  loaded: LoadedScenario,
  leftovers: Leftovers,
): Promise<string | undefined> {
  const { source: _steps, ...rules } = loaded.scenario;
  if (ruleNames(rules).length === 0) return undefined;
  const own = await freeName(client, rules.name, loaded.runId);
  const path = `/scenarios/${encodeURIComponent(own)}`;
  leftovers.add("the rules", async () => {
    await client.undo("POST", `${path}/deactivate`);
    await client.undo("DELETE", path);
  });
  // What its names are good for has been said of the file.
  await client.must("PUT", path, { ...rules, name: own, force: true });
  await client.must("POST", `${path}/activate`);
  return own;
}

/** The scenario's own name, so that a request can ask for it, unless the sandbox knows one of that name. */
async function freeName(client: Client, name: string, runId: string): Promise<string> {
  const { status } = await client.control("GET", `/scenarios/${encodeURIComponent(name)}`);
  if (status === 404) return name;
  const ending = `.${runId}`;
  return `${name.slice(0, LONGEST_NAME - ending.length)}${ending}`;
}
