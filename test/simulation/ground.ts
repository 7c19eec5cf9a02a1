import { FileStorage } from "../../src/core/store/file-storage.js";
import { createSandbox, type Sandbox } from "../../src/library/index.js";
import { dataFile, diskThatMayFill } from "../support/kept.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";
import type { Hurdle } from "./client.js";

/** Options of a simulation. */
export interface Terrain {
  /** True if state is in files and the server restarts during the run. */
  readonly isKept?: boolean;
  /** True if the disk is sometimes full; implies `isKept`. */
  readonly isFull?: boolean;
  /** True if the clock runs with wall time. */
  readonly isRunning?: boolean;
  /** True if the run includes partial refunds, chargebacks and bounces. */
  readonly takesBack?: boolean;
  /** Number of namespaces besides `default`. */
  readonly namespaces?: number;
}

/** The server, clock and disk of a simulation. */
export interface Ground {
  readonly fetch: Sandbox["fetch"];
  readonly hurdle: Hurdle;
  /** Wall time when the clock runs; otherwise undefined. */
  readonly wall: FakeWall | undefined;
  readonly wallMs: () => number;
  readonly restart: (() => Promise<void>) | undefined;
  readonly close: () => Promise<void>;
}

export async function groundOf(terrain: Terrain, seed: string, startTime: string): Promise<Ground> {
  const { isKept = false, isFull = false, isRunning = false } = terrain;
  if (!isKept && !isFull && !isRunning) {
    const sandbox = await createSandbox({ clock: "manual", startTime, seed });
    const close = () => sandbox.close();
    return {
      fetch: sandbox.fetch,
      hurdle: (send) => send(),
      wall: undefined,
      wallMs: Date.now,
      restart: undefined,
      close,
    };
  }
  const startMs = Date.parse(startTime);
  const wall = new FakeWall(startMs);
  const { disk, io } = diskThatMayFill();
  const data = dataFile();
  const start = async (isFirst: boolean): Promise<Sandbox> => {
    const storage = (onError: (failure: Error) => void) =>
      new FileStorage({ data, fsync: false, io, onError });
    const { sandbox } = await worldOn(wall, {
      seed,
      ...(isFirst ? { startMs, clockText: isRunning ? "real" : "manual" } : {}),
      ...(isKept || isFull ? { storage } : {}),
    });
    return sandbox;
  };
  let sandbox = await start(true);
  return {
    fetch: (input, init) => sandbox.fetch(input, init),
    /** A call with a 500 had no effect, so it can be repeated. */
    hurdle: async (send, isHigh) => {
      if (!isFull || !isHigh) return send();
      disk.refusesFrom = disk.calls;
      const answer = await send();
      disk.refusesFrom = Number.POSITIVE_INFINITY;
      return answer.status === 500 ? send() : answer;
    },
    wall: isRunning ? wall : undefined,
    wallMs: () => wall.nowMs(),
    restart: isKept
      ? async () => {
          await sandbox.close();
          sandbox = await start(false);
        }
      : undefined,
    close: () => sandbox.close(),
  };
}
