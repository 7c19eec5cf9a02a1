import { endAll, Family } from "./processes.js";

/** How long the command may take to end once nobody waits for it. */
const GRACE_MS = 3_000;

/** What is done when exec itself was killed: the command and all it has started ends. `pid started mark`. */
export async function endLeftBehind(process: string): Promise<void> {
  const [pid, started, mark] = process.split(" ");
  const root = { pid: Number(pid), started: started === "-" ? undefined : started };
  await endAll(new Family(mark!, root), GRACE_MS);
}
