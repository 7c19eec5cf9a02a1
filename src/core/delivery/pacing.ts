interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** Limits concurrent work per key; the rest waits in order. */
export class Pacing {
  readonly #limit: number;
  readonly #lines = new Map<string, Line>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async inTurn<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
    let line = this.#lines.get(place);
    if (line === undefined) this.#lines.set(place, (line = { underWay: 0, waiting: [] }));
    const { waiting } = line;
    if (line.underWay < this.#limit) line.underWay++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next !== undefined) next();
      else if (--line.underWay === 0) this.#lines.delete(place);
    }
  }
}
