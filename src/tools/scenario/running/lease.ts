import type { LeaseRequest } from "../../../core/schema/control.js";
import type { Client } from "./client.js";
import { CannotRun } from "./failure.js";

/** A run's hold on its namespace: where the process goes without releasing it, the sandbox puts back what it changed. */
export class Lease {
  readonly #client: Client;
  readonly #holding: Promise<void>;
  #isReleased = false;

  private constructor(client: Client) {
    this.#client = client;
    this.#holding = this.#hold();
  }

  /**
   * The lease of the client's namespace; what the sandbox says where another run has it.
   *
   * @param ends what becomes of the namespace with a runner that has gone: it goes too, or a snapshot is restored
   */
  static async take(client: Client, ends: LeaseRequest): Promise<Lease | string | undefined> {
    const { status, body } = await client.control("POST", "/lease", ends);
    if (status === 200) return new Lease(client);
    const { error } = body as { error?: { code?: string; message?: string } };
    // The next call of the run reports any other failure.
    return error?.code === "NAMESPACE_LEASED" ? error.message : undefined;
  }

  async #hold(): Promise<void> {
    let isHeld = true;
    while (isHeld && !this.#isReleased) isHeld = await this.#isGiven("POST", { hold: true });
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#isGiven("DELETE");
    await this.#holding;
  }

  async #isGiven(method: string, asked?: LeaseRequest): Promise<boolean> {
    try {
      const { body } = await this.#client.control(method, "/lease", asked);
      return (body as { held?: boolean }).held === true;
    } catch (error) {
      // A sandbox that has gone gives nothing, and whoever needs it finds that out too.
      if (error instanceof CannotRun) return false;
      throw error;
    }
  }
}
