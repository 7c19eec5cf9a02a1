import { channel } from "node:diagnostics_channel";

let commits = 0;
channel("payments-sandbox:commit").subscribe(() => void commits++);

/** Returns the number of commits of all sandboxes so far. Comparing the state after each call would take longer than the calls. */
export function countCommits(): number {
  return commits;
}
