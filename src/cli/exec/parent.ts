import { systemWall } from "../../time/wall.js";
import { processRow } from "./processes.js";

const LOOK_EACH_MS = 500;

/**
 * Calls back when whoever started this process has gone: a CI runner or npm that was killed tells nobody. Not
 * where that is no news: started by init, or in a session of its own, which is how one starts what shall stay.
 */
export function whenParentEnds(callback: () => void): () => void {
  const parent = process.ppid;
  if (parent <= 1 || process.platform === "win32") return () => {};
  if (process.platform === "linux" && processRow(process.pid)?.session === process.pid) return () => {};
  let stop: () => void;
  const look = (): void => {
    if (process.ppid !== parent) callback();
    else stop = systemWall.after(LOOK_EACH_MS, look);
  };
  stop = systemWall.after(LOOK_EACH_MS, look);
  return () => stop();
}
