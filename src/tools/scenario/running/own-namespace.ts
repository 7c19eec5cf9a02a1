import type { Given } from "../../../core/schema/scenario-file.js";
import type { Client } from "./client.js";
import { CannotRun } from "./failure.js";
import type { Leftovers } from "./leftovers.js";

/** What a sandbox that runs already can make a namespace with. */
const OF_A_NAMESPACE: readonly string[] = ["start_time", "seed"] satisfies (keyof Given)[];

export interface Wanted {
  readonly given: Given;
  /** Without one, a name is made of the run's id. */
  readonly name: string | undefined;
  readonly runId: string;
}

/**
 * Makes a namespace as the file wants it, in a sandbox that is there for others too, and takes it away again. What it
 * cannot have there is refused: the steps would be carried out in another world than they are written for.
 */
export async function makeNamespace(
  client: Client,
  { given, name = "", runId }: Wanted,
  leftovers: Leftovers,
): Promise<string> {
  const more = Object.keys(given).filter((word) => !OF_A_NAMESPACE.includes(word));
  if (more.length > 0)
    throw new CannotRun(
      `given: ${more.join(", ")} cannot be set on a running sandbox: start it that way, or run the file without --url`,
    );
  const own = name === "" ? `run-${runId}` : name;
  const { status, body } = await client.control("POST", "/namespaces", {
    ...given,
    name: own,
    clock: "manual",
  });
  if (status >= 300) {
    const { error } = body as { error?: { message?: string } };
    throw new CannotRun(
      `given: no namespace could be created with it: ${error?.message ?? `status ${status}`}`,
    );
  }
  leftovers.add("the namespace", () => client.undo("DELETE", `/namespaces/${own}`));
  return own;
}
