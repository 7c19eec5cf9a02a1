import type { SandboxFetch } from "../../../core/client/control-client.js";
import type { LeaseRequest } from "../../../core/schema/control-requests.js";
import type { NamespaceSetup } from "../../../core/schema/scenario-file.js";
import type { LoadedScenario } from "../files.js";
import { flattenSteps } from "../loaded-steps.js";
import { Client, errorOf, errorTextOf } from "./client.js";
import type { Cleanup, RunContext } from "./context.js";
import { CannotRunError } from "./failure.js";

export interface RunTarget {
  readonly fetch: SandboxFetch;
  readonly namespace?: string | undefined;
  readonly controlToken?: string | undefined;
  readonly app?: string | undefined;
  /** True if the sandbox already has the state in the file's `given`. Otherwise the run creates a namespace. */
  readonly hasGivenState?: boolean | undefined;
}

interface Stage {
  /** Name of the namespace. If undefined, the API key selects the namespace. */
  readonly name: string | undefined;
  readonly lease: Lease | undefined;
  /** Name of a new namespace, created because another run held the requested namespace; else undefined. */
  readonly moved: string | undefined;
}

/** Returns true if the run can use the requested namespace. Otherwise, the file's `given` needs a new namespace. */
export function canUseNamespace({ given }: LoadedScenario, { hasGivenState }: RunTarget): boolean {
  return hasGivenState === true || Object.keys(given).length === 0;
}

/** Leases the requested namespace. Leases a new namespace if the file has `given`, or if another run has the lease. */
export async function leaseNamespace(
  loaded: LoadedScenario,
  request: RunTarget,
  client: Client,
  cleanup: Cleanup,
): Promise<Stage> {
  const { fetch, namespace, controlToken } = request;
  const { given, runId, isIsolated } = loaded;
  const isExisting = canUseNamespace(loaded, request);
  const create = () =>
    createNamespace(client, given, isExisting ? `run-${runId}` : namespace || `run-${runId}`, cleanup);
  const lease = (name: string | undefined, isCreated: boolean) =>
    Lease.take(new Client({ fetch, namespace: name, controlToken, run: runId }), {
      with_namespace: isCreated,
      ...(isIsolated ? { snapshot: snapshotOf(runId) } : {}),
    });
  const name = isExisting ? namespace : await create();
  if (request.hasGivenState === true) return { name, lease: undefined, moved: undefined };
  const taken = await lease(name, !isExisting);
  if (typeof taken !== "string") return { name, lease: taken, moved: undefined };
  if (!isExisting || !mayMove(loaded, request))
    throw new CannotRunError(`${taken}: try again then, or name another`);
  const moved = await create();
  const second = await lease(moved, true);
  return { name: moved, lease: typeof second === "string" ? undefined : second, moved };
}

/** Returns true if the run can move to a new namespace: no `namespace` option, no app under test, no manual step. */
function mayMove({ steps }: LoadedScenario, { namespace, app }: RunTarget): boolean {
  return (
    namespace === undefined && app === undefined && !flattenSteps(steps).some(({ kind }) => kind === "manual")
  );
}

/** Fields of `given` that a namespace of a running sandbox supports. */
const NAMESPACE_FIELDS: readonly string[] = ["start_time", "seed"] satisfies (keyof NamespaceSetup)[];

/** Creates a namespace for the run. Refuses unsupported fields of `given`, because the steps rely on them. */
async function createNamespace(
  client: Client,
  given: NamespaceSetup,
  name: string,
  cleanup: Cleanup,
): Promise<string> {
  const unsupported = Object.keys(given).filter((field) => !NAMESPACE_FIELDS.includes(field));
  if (unsupported.length > 0)
    throw new CannotRunError(
      `given: ${unsupported.join(", ")} cannot be set on a running sandbox: start it that way, or run the file without --url`,
    );
  const answer = await client.control("createNamespace", { ...given, name, clock: "manual" });
  if (answer.status >= 300)
    throw new CannotRunError(`given: no namespace could be created with it: ${errorTextOf(answer)}`);
  cleanup.add("the namespace", () => client.undo("deleteNamespace", { name }));
  return name;
}

function snapshotOf(runId: string): string {
  return `run-${runId}`;
}

/** Saves the state in a snapshot, which is restored after all other cleanup. */
export async function snapshotState(client: Client, runId: string, cleanup: Cleanup): Promise<void> {
  const name = snapshotOf(runId);
  await client.callOrFail("createSnapshot", { name });
  cleanup.add("the state", async () => {
    await client.callOrFail("restoreSnapshot", { name, wait: "10s" });
    await client.undo("deleteSnapshot", { name });
  });
}

export type NamespaceKeys = Pick<RunContext, "keys" | "organization">;

interface SandboxInfo {
  readonly api_key: string;
  readonly live_api_key: string;
  readonly keys: readonly { readonly key: string; readonly organization_id: string }[];
}

export async function readNamespaceKeys(client: Client): Promise<NamespaceKeys> {
  const answer = await client.control("getSandbox");
  const info = answer.body as Partial<SandboxInfo> | null;
  if (answer.status !== 200 || typeof info?.api_key !== "string")
    throw new CannotRunError(
      errorOf(answer).message ?? `there is no payments-sandbox: status ${answer.status}`,
    );
  const { api_key: test, live_api_key: live, keys } = info as SandboxInfo;
  const organization = keys.find(({ key }) => key === test)?.organization_id ?? "";
  return { keys: { test, live }, organization };
}

/** Stops the clock until the run is over; only steps move time. */
export async function freezeClock(client: Client, cleanup: Cleanup): Promise<void> {
  const { mode } = (await client.callOrFail("getClock")) as { mode: string };
  if (mode === "manual") return;
  cleanup.add("the clock", () => client.callOrFail("setClock", { mode, wait: "10s" }));
  await client.callOrFail("setClock", { mode: "manual", wait: "10s" });
}

/** A run's lease of its namespace. If the process dies without releasing it, the sandbox undoes the run's changes. */
export class Lease {
  readonly #client: Client;
  readonly #heartbeat: Promise<void>;
  #isReleased = false;

  private constructor(client: Client) {
    this.#client = client;
    this.#heartbeat = this.#keepHeld();
  }

  /**
   * Leases the client's namespace; returns the sandbox's message if another run holds it.
   *
   * @param request what the sandbox does if the runner dies: delete the namespace, or restore a snapshot
   */
  static async take(client: Client, request: LeaseRequest): Promise<Lease | string | undefined> {
    const answer = await client.control("takeLease", request);
    if (answer.status === 200) return new Lease(client);
    const { code, message } = errorOf(answer);
    // The next call of the run reports any other failure.
    return code === "NAMESPACE_LEASED" ? message : undefined;
  }

  async #keepHeld(): Promise<void> {
    let isHeld = true;
    while (isHeld && !this.#isReleased) isHeld = await this.#request("takeLease", { hold: true });
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#request("releaseLease");
    await this.#heartbeat;
  }

  async #request(operation: "takeLease" | "releaseLease", request?: LeaseRequest): Promise<boolean> {
    try {
      const { body } = await this.#client.control(operation, request);
      return (body as { held?: boolean }).held === true;
    } catch (error) {
      // The sandbox is gone; the next call of the run reports it.
      if (error instanceof CannotRunError) return false;
      throw error;
    }
  }
}
