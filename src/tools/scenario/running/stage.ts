import type { SandboxFetch } from "../../../control-client.js";
import type { Wall } from "../../../core/time/wall.js";
import type { LoadedScenario } from "../files.js";
import { everyStep } from "../step-places.js";
import { Client } from "./client.js";
import { CannotRun } from "./failure.js";
import { snapshotOf } from "./isolation.js";
import { Lease } from "./lease.js";
import type { Leftovers } from "./leftovers.js";
import { makeNamespace } from "./own-namespace.js";

/** Which sandbox a run is meant for. */
export interface StageOptions {
  readonly fetch: SandboxFetch;
  readonly namespace?: string | undefined;
  readonly controlToken?: string | undefined;
  /** The base URL of the app under test. */
  readonly app?: string | undefined;
  /** Whether the sandbox was made as the file wants it; else what it wants is made in it. */
  readonly isItsWorld?: boolean | undefined;
}

interface Wanted extends StageOptions {
  readonly wall: Wall;
}

/** Where a run is carried out. */
interface Stage {
  /** The namespace; without one, that of the key. */
  readonly name: string | undefined;
  readonly lease: Lease | undefined;
  /** The namespace made for it because another run has the one meant. */
  readonly moved: string | undefined;
}

/** Whether the namespace that is meant is there, or has to be made as the file wants it. */
export function isThere({ given }: LoadedScenario, { isItsWorld }: Pick<Wanted, "isItsWorld">): boolean {
  return isItsWorld === true || Object.keys(given).length === 0;
}

/** Takes the namespace meant, or makes one: as the file wants it, or because another run has the one meant. */
export async function takeStage(
  loaded: LoadedScenario,
  wanted: Wanted,
  client: Client,
  leftovers: Leftovers,
): Promise<Stage> {
  const { fetch, wall, namespace, controlToken } = wanted;
  const { given, runId, isIsolated } = loaded;
  const isMeant = isThere(loaded, wanted);
  const own = () => makeNamespace(client, { given, name: isMeant ? undefined : namespace, runId }, leftovers);
  const leased = (name: string | undefined, isOwn: boolean) =>
    Lease.take(new Client({ fetch, namespace: name, controlToken, run: runId }, wall), {
      with_namespace: isOwn,
      ...(isIsolated ? { snapshot: snapshotOf(runId) } : {}),
    });
  const name = isMeant ? namespace : await own();
  if (wanted.isItsWorld === true) return { name, lease: undefined, moved: undefined };
  const taken = await leased(name, !isMeant);
  if (typeof taken !== "string") return { name, lease: taken, moved: undefined };
  if (!isMeant || !mayMove(loaded, wanted)) throw new CannotRun(`${taken}: try again then, or name another`);
  const moved = await own();
  const again = await leased(moved, true);
  return { name: moved, lease: typeof again === "string" ? undefined : again, moved };
}

/** Whether it may be run in another namespace than was meant: none was named, and no app calls the one that was meant. */
function mayMove({ steps }: LoadedScenario, { namespace, app }: Wanted): boolean {
  return (
    namespace === undefined && app === undefined && !everyStep(steps).some(({ kind }) => kind === "manual")
  );
}
