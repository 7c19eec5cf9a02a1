import { FileStorage } from "../../src/core/store/file-storage.js";
import { createSandbox, type Sandbox } from "../../src/library/index.js";
import { dataFile, diskThatMayFill } from "../support/kept.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";
import type { Hurdle } from "./client.js";

/** Dimensions of a simulation besides a clock that stands still and state in memory. */
export interface Terrain {
  /** State is in files, and the server is started anew in mid-course. */
  readonly isKept?: boolean;
  /** Calls meet a disk that is full, now and then; it is kept then. */
  readonly isFull?: boolean;
  /** The clock runs: time passes because wall time does. */
  readonly isRunning?: boolean;
  /** Money goes back after the end, by the sandbox's own extensions. */
  readonly takesBack?: boolean;
  /** How many namespaces there are besides `default`, each with a course of its own. */
  readonly namespaces?: number;
}

/** Where a simulation takes place. */
export interface Ground {
  readonly fetch: Sandbox["fetch"];
  readonly hurdle: Hurdle;
  /** Wall time, where the clock runs by it. */
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
    /** A call that got a 500 can be repeated: it had no effect. */
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
