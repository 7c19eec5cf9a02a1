import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Whether the terminal listens to this process. One in the background that as much as looked at the keyboard would be
 * stopped by the system, and serve nobody.
 */
export async function isInForeground(): Promise<boolean> {
  if (process.platform === "win32") return true;
  try {
    // … (name) state parent group session terminal group-in-front: a name may have brackets and spaces in it.
    const text = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , front] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return group === front;
  } catch {
    return new Promise((resolve) =>
      execFile("ps", ["-o", "stat=", "-p", String(process.pid)], (error, stdout) =>
        resolve(error === null && stdout.includes("+")),
      ),
    );
  }
}
