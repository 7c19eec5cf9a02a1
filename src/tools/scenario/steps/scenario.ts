import * as z from "zod/mini";
import type { Client } from "../running/client.js";
import { defineStep, stepSchema } from "./step-definition.js";
import { textSchema } from "./step-schemas.js";

interface ScenarioRecord {
  readonly name: string;
  readonly active: boolean;
}

export const scenario = defineStep(["ignores_start"], {
  description: "Turns a scenario the sandbox knows on, or off with { drop: NAME }, until the run is over.",
  schema: stepSchema({
    scenario: z.union([
      textSchema,
      z.strictObject({ use: textSchema }),
      z.strictObject({ drop: textSchema }),
    ]),
  }),
  run: async ({ scenario }, { client, cleanup }) => {
    const [name, verb] =
      typeof scenario === "string"
        ? [scenario, "activate"]
        : "use" in scenario
          ? [scenario.use, "activate"]
          : [scenario.drop, "deactivate"];
    const before = await activeScenarios(client);
    const changed = await client.callOrFail("POST", `/scenarios/${encodeURIComponent(name)}/${verb}`);
    cleanup.add("the active scenarios", () => restore(client, before));
    return changed;
  },
});

/** Lists active scenarios, the last activated first. */
async function activeScenarios(client: Client): Promise<string[]> {
  const { items } = (await client.callOrFail("GET", "/scenarios?limit=100")) as { items: ScenarioRecord[] };
  return items.filter(({ active }) => active).map(({ name }) => name);
}

async function restore(client: Client, before: readonly string[]): Promise<void> {
  for (const name of await activeScenarios(client))
    if (!before.includes(name))
      await client.undo("POST", `/scenarios/${encodeURIComponent(name)}/deactivate`);
  // Restores the original order of activation, because the last activated scenario applies first.
  for (const name of [...before].reverse())
    await client.undo("POST", `/scenarios/${encodeURIComponent(name)}/activate`);
}
