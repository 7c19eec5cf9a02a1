import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { nodeOn } from "./cores.mjs";

const PROCESS_FILE = fileURLToPath(new URL("load-process.mjs", import.meta.url));
/** What a job may take beyond its own time before it counts as hung. */
const GRACE_MS = 15_000;

/** The parent's end of the load generator (`load-process.mjs`). One process for all jobs: it is warm alike for all. */
export class LoadClient {
  #child;
  #current;
  #staysAwake;

  /** @param {number | undefined} core the core to run on; undefined is any */
  constructor(core) {
    this.#staysAwake = core !== undefined;
    const [command, args] = nodeOn(core, [PROCESS_FILE]);
    this.#child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child.on("message", ({ result, error }) => {
      if (error === undefined) this.#current?.resolve(result);
      else this.#current?.reject(new Error(error));
    });
    this.#child.once("error", (error) => this.#current?.reject(error));
    this.#child.once("exit", () => this.#current?.reject(new Error("the load generator ended")));
  }

  /**
   * Runs one job (see `runLoad`). `refresh` gives new requests each `refreshEveryMs` while it runs: a quote on
   * a running clock lives 30 seconds.
   *
   * @returns {Promise<import("./load.mjs").LoadResult>}
   */
  async run(job, refresh, refreshEveryMs = 1_000) {
    const timers = [];
    try {
      return await new Promise((resolve, reject) => {
        this.#current = { resolve, reject };
        const limitMs = (job.warmUpMs ?? 0) + job.maxMs + GRACE_MS;
        timers.push(setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs));
        this.#child.send({ job: { ...job, staysAwake: this.#staysAwake } });
        if (refresh !== undefined)
          timers.push(
            setInterval(
              () => refresh().then((requests) => this.#child.send({ requests }), reject),
              refreshEveryMs,
            ),
          );
      });
    } finally {
      this.#current = undefined;
      for (const timer of timers) clearInterval(timer);
    }
  }

  close() {
    if (this.#child.connected) this.#child.disconnect();
  }
}
