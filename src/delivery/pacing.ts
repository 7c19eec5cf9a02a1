/** Lets so many through at a time; the others wait their turn in the order they came. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when it is one's turn. Whoever has entered must leave. */
  async enter(): Promise<void> {
    if (this.#inside >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside++;
  }

  /** The next one's turn, or a place free. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inside--;
    else next();
  }

  get isEmpty(): boolean {
    return this.#inside === 0;
  }
}
