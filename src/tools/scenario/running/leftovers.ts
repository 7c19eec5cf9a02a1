/** What a run has changed about the sandbox and has to put back, the last first. */
export class Leftovers {
  #undo: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];

  #isOver = false;

  /** Under one name there is only one thing to put back: how it was at first. */
  add(what: string, undo: () => Promise<unknown>): void {
    // A step that went on after the run was interrupted.
    if (this.#isOver) void undo().catch(() => {});
    else if (!this.#undo.some((known) => known.what === what)) this.#undo.push({ what, undo });
  }

  /** Puts everything back: the run is over. */
  finish(): Promise<string[]> {
    this.#isOver = true;
    return this.clear();
  }

  /** Puts back what is meant, each thing whatever becomes of the others; tells what could not be. */
  async clear(isMeant: (what: string) => boolean = () => true): Promise<string[]> {
    const failed: string[] = [];
    const meant = this.#undo.filter(({ what }) => isMeant(what));
    this.#undo = this.#undo.filter(({ what }) => !isMeant(what));
    for (const { what, undo } of meant.reverse())
      try {
        await undo();
      } catch (error) {
        failed.push(
          `${what} could not be put back: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    return failed;
  }
}
