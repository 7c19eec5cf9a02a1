import type { StepOf } from "../../schema/steps.js";
import type { Client } from "./client.js";
import type { Executor } from "./context.js";

interface Known {
  readonly name: string;
  readonly active: boolean;
}

/** `scenario`: turns one the sandbox knows on or off, until the run is over. */
export const scenario: Executor<StepOf<"scenario">> = async ({ scenario: asked }, { client, leftovers }) => {
  const [name, verb] =
    typeof asked === "string"
      ? [asked, "activate"]
      : "use" in asked
        ? [asked.use, "activate"]
        : [asked.drop, "deactivate"];
  const before = await activeScenarios(client);
  const changed = await client.must("POST", `/scenarios/${encodeURIComponent(name)}/${verb}`);
  leftovers.add("the active scenarios", () => restore(client, before));
  return changed;
};

/** The last activated first. */
async function activeScenarios(client: Client): Promise<string[]> {
  const { items } = (await client.must("GET", "/scenarios?limit=100")) as { items: Known[] };
  return items.filter(({ active }) => active).map(({ name }) => name);
}

async function restore(client: Client, before: readonly string[]): Promise<void> {
  for (const name of await activeScenarios(client))
    if (!before.includes(name))
      await client.undo("POST", `/scenarios/${encodeURIComponent(name)}/deactivate`);
  // In the order they were turned on, for the last goes first.
  for (const name of [...before].reverse())
    await client.undo("POST", `/scenarios/${encodeURIComponent(name)}/activate`);
}
