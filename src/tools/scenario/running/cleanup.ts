import { errorMessage } from "./failure.js";

/** Changes of a run to the sandbox, undone in reverse order. */
export class Cleanup {
  #undo: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];
  #isOver = false;

  /** Registers an undo function. Keeps only the first function per name, which restores the original state. */
  add(what: string, undo: () => Promise<unknown>): void {
    // The run ended while a step was still working. Undoes the step's change at once.
    if (this.#isOver) void undo().catch(() => {});
    else if (!this.#undo.some((entry) => entry.what === what)) this.#undo.push({ what, undo });
  }

  /** Undoes everything at the end of the run. */
  finish(): Promise<string[]> {
    this.#isOver = true;
    return this.clear();
  }

  /** Undoes the selected changes; returns a message for each that failed. */
  async clear(isSelected: (what: string) => boolean = () => true): Promise<string[]> {
    const failed: string[] = [];
    const selected = this.#undo.filter(({ what }) => isSelected(what));
    this.#undo = this.#undo.filter(({ what }) => !isSelected(what));
    for (const { what, undo } of selected.reverse())
      try {
        await undo();
      } catch (error) {
        failed.push(`${what} could not be put back: ${errorMessage(error)}`);
      }
    return failed;
  }
}
