import type { LeaseRequest } from "../../../core/schema/control-requests.js";
import type { Client } from "./client.js";
import { CannotRunError } from "./failure.js";

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
    const { status, body } = await client.control("POST", "/lease", request);
    if (status === 200) return new Lease(client);
    const { error } = body as { error?: { code?: string; message?: string } };
    // The next call of the run reports any other failure.
    return error?.code === "NAMESPACE_LEASED" ? error.message : undefined;
  }

  async #keepHeld(): Promise<void> {
    let isHeld = true;
    while (isHeld && !this.#isReleased) isHeld = await this.#request("POST", { hold: true });
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#request("DELETE");
    await this.#heartbeat;
  }

  async #request(method: string, request?: LeaseRequest): Promise<boolean> {
    try {
      const { body } = await this.#client.control(method, "/lease", request);
      return (body as { held?: boolean }).held === true;
    } catch (error) {
      // The sandbox is gone; the next call of the run reports it.
      if (error instanceof CannotRunError) return false;
      throw error;
    }
  }
}
