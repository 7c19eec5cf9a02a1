import type { Sandbox } from "../../sandbox.js";
import type { StartOptions } from "../../schema/option-table.js";
import { dashboardUrl } from "../ready.js";
import { say } from "../terminal.js";
import { onKeys } from "./keyboard.js";
import { keyPresses, keysHint } from "./keys.js";
import { Live } from "./live.js";

/** Whoever looks on at a terminal: what happens is shown to them, and what they press is done. */
export class Looker {
  readonly #live = new Live();
  #release: (() => void) | undefined;

  /** To be told of what happens. */
  readonly note = this.#live.note;

  /** Takes keys from now on; `quit` is what one of them does. */
  async begin(sandbox: Sandbox, options: StartOptions, quit: () => void): Promise<void> {
    const press = keyPresses({
      sandbox,
      dashboard: dashboardUrl(sandbox, options),
      quit,
      say: (text) => this.#live.print(text),
    });
    this.#release = await onKeys(press);
    if (this.#release !== undefined) say(`${keysHint()}\n`);
  }

  /** Shows what has come until now, and gives the terminal back. */
  end(): void {
    this.#release?.();
    this.#live.flush();
  }
}
