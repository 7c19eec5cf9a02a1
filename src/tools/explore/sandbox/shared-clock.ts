interface Arrival {
  readonly key: string;
  readonly work: () => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Concurrent runs of one sandbox clock: each waits until all are about to do the same, which is done once. */
export class SharedClock {
  #runs: number;
  #arrived: Arrival[] = [];

  /** @param runs number of runs */
  constructor(runs: number) {
    this.#runs = runs;
  }

  /** @param key names the work: runs with equal keys share its result, others do their own */
  do<Result>(key: () => string, work: () => Promise<Result>): Promise<Result> {
    if (this.#runs === 1) return work();
    return new Promise<unknown>((resolve, reject) => {
      this.#arrived.push({ key: key(), work, resolve, reject });
      this.#proceed();
    }) as Promise<Result>;
  }

  /** The run has ended: the others go on without it. */
  leave(): void {
    this.#runs--;
    this.#proceed();
  }

  #proceed(): void {
    if (this.#arrived.length < this.#runs) return;
    const arrived = this.#arrived.splice(0);
    const shared = arrived.every(({ key }) => key === arrived[0]!.key) ? arrived[0]?.work() : undefined;
    for (const { work, resolve, reject } of arrived) (shared ?? work()).then(resolve, reject);
  }
}
