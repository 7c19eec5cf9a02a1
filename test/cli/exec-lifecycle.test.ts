import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { buildIfMissing, Command, isAlive, ROOT, run } from "../support/process-command.js";
import { carryOut } from "../support/resident-command.js";

afterEach(async () => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

const BIN = join(ROOT, "bin/payments-sandbox.js");
const isLinux = process.platform === "linux";
/** What a test has started, or had started, and must not leave. */
const started: number[] = [];

/** `node -e SCRIPT ARGS…`, as what is run beside the sandbox. */
function script(source: string, ...args: string[]): string[] {
  return ["--", process.execPath, "-e", source, ...args];
}

/** A command that writes down each signal it gets and does not end by it. */
function stubborn(log: string): string {
  return `
    const { appendFileSync } = require("node:fs");
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"])
      process.on(name, () => appendFileSync(${JSON.stringify(log)}, name + "\\n"));
    setInterval(() => {}, 1e6);
    console.log("pid " + process.pid);
  `;
}

/** One that also has a child of its own, which does nothing about signals. */
function withChild(source = ""): string {
  return `
    ${source}
    for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {});
    const child = require("node:child_process").spawn("/bin/sh", ["-c", "trap '' INT TERM; echo ready $$; exec sleep 1000"],
      { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", (text) => console.log("pids " + process.pid + " " + String(text).match(/\\d+/)[0]));
    setInterval(() => {}, 1e6);
  `;
}

/** Looks again and again, for a real process needs its time; fails when it takes too long. */
async function eventually(what: string, condition: () => boolean, limitMs = 100_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What has ended and waits for somebody to ask how does not run. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid) || !isLinux) return isAlive(pid);
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** So long a person needs between two keys. */
async function aMoment(): Promise<void> {
  const end = Date.now() + 200;
  await eventually("a moment has passed", () => Date.now() >= end);
}

/** A person presses again while something runs: a busy system may take two signals for one. */
async function pressed(press: () => void, pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) {
    press();
    await aMoment();
  }
}

const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];

/** The command in a process group of its own, as a shell starts a job. */
class Job {
  readonly child: ChildProcess;
  stdout = "";
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(args: readonly string[]) {
    buildIfMissing();
    this.child = spawn(process.execPath, [BIN, ...args], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(this.child.pid!);
    this.child.stdout!.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.ended = new Promise((resolve) =>
      this.child.once("close", (code, signal) => resolve({ code, signal })),
    );
  }

  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    await eventually(`${pattern} printed`, () => pattern.test(this.stdout));
    return pattern.exec(this.stdout)!;
  }

  /** As a terminal's Ctrl-C: every process of the group is told by the system. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.child.pid!, signal);
    } catch (error) {
      // The last of the group may have gone a moment ago.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const)(
    "%s to the whole group reaches the command once",
    async (signal) => {
      const log = join(temporaryFolder(), "signals");
      const job = new Job(["exec", ...script(stubborn(log))]);
      started.push(Number((await job.printed(/pid (\d+)/))[1]));
      job.signalGroup(signal);
      await eventually("the signal has come", () => lines(log).length > 0);
      // Told to exec alone, a later one is passed on: by then a first one would have been, too.
      const other = signal === "SIGUSR2" ? "SIGHUP" : "SIGUSR2";
      job.child.kill(other);
      await eventually("the other has come", () => lines(log).includes(other));
      expect(lines(log)).toEqual([signal, other]);
    },
  );

  it("that comes to the group and is passed on by a wrapper as well counts once", async () => {
    const log = join(temporaryFolder(), "signals");
    const job = new Job(["exec", ...script(stubborn(log))]);
    const pid = Number((await job.printed(/pid (\d+)/))[1]);
    started.push(pid);
    job.signalGroup("SIGINT");
    await eventually("the signal has come", () => lines(log).length > 0);
    // Long after what could be one signal, as a busy npm is.
    const wrappedMs = Date.now() + 300;
    await eventually("the wrapper gets to it", () => Date.now() >= wrappedMs);
    job.child.kill("SIGINT");
    job.child.kill("SIGUSR2");
    await eventually("the other has come", () => lines(log).includes("SIGUSR2"));
    expect(lines(log)).toEqual(["SIGINT", "SIGUSR2"]);
    expect(isRunning(pid)).toBe(true);
  });

  it.runIf(isLinux)("still reaches the command when the guard is gone", async () => {
    const log = join(temporaryFolder(), "signals");
    const job = new Job(["exec", ...script(stubborn(log))]);
    started.push(Number((await job.printed(/pid (\d+)/))[1]));
    const guard = childrenOf(job.child.pid!).find((pid) => commandOf(pid).startsWith("/bin/sh"));
    expect(guard).toBeDefined();
    process.kill(guard!, "SIGKILL");
    await eventually("the guard has gone", () => !childrenOf(job.child.pid!).includes(guard!));
    job.child.kill("SIGTERM");
    await eventually("the signal has come", () => lines(log).length > 0);
    expect(lines(log)).toEqual(["SIGTERM"]);
  });
});

/** Linux tells. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
}
function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
}

describe("a second Ctrl-C", () => {
  it("ends the command and what it has started at once, with 130", async () => {
    const command = new Command(["exec", ...script(withChild())]);
    const pids = (await command.printed(/pids (\d+) (\d+)/)).slice(1).map(Number);
    command.signal("SIGINT");
    await aMoment();
    expect(pids.map(isRunning)).toEqual([true, true]);
    await pressed(() => command.signal("SIGINT"), pids);
    expect(await command.ended).toMatchObject({ code: 130, signal: null });
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it("does so when both came to the whole group", async () => {
    const job = new Job(["exec", ...script(withChild())]);
    const pids = (await job.printed(/pids (\d+) (\d+)/)).slice(1).map(Number);
    started.push(...pids);
    job.signalGroup("SIGINT");
    await aMoment();
    expect(pids.map(isRunning)).toEqual([true, true]);
    await pressed(() => job.signalGroup("SIGINT"), pids);
    expect(await job.ended).toEqual({ code: 130, signal: null });
    expect(pids.map(isRunning)).toEqual([false, false]);
  });
});

describe("nothing is left running", () => {
  it.runIf(isLinux)("of what the command left in the background", async () => {
    const file = join(temporaryFolder(), "pid");
    const { code, stderr } = await run([
      "exec",
      "--",
      "/bin/sh",
      "-c",
      `sleep 1000 & echo $! > ${file}; until grep -q sleep /proc/$!/comm; do :; done; exit 3`,
    ]);
    const pid = Number(readFileSync(file, "utf8"));
    started.push(pid);
    expect(code).toBe(3);
    expect(stderr).toBe(`payments-sandbox: the command left running, ended now: ${pid} (sleep 1000)\n`);
    expect(isRunning(pid)).toBe(false);
  });

  it.runIf(isLinux)("but what has left the session stays", async () => {
    const source = `
      const child = require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
      child.unref();
      console.log("pid " + child.pid);
    `;
    const { code, stdout, stderr } = await run(["exec", ...script(source)]);
    const pid = Number(/pid (\d+)/.exec(stdout)![1]);
    started.push(pid);
    expect([code, stderr, isRunning(pid)]).toEqual([0, "", true]);
  });

  it("when exec itself is killed", async () => {
    const command = new Command(["exec", ...script(withChild())]);
    const pids = (await command.printed(/pids (\d+) (\d+)/)).slice(1).map(Number);
    started.push(...pids);
    command.signal("SIGKILL");
    await eventually("both have ended", () => !pids.some(isRunning));
  });

  it("when the command's parent process group is killed whole", async () => {
    const job = new Job(["exec", ...script(withChild())]);
    const pids = (await job.printed(/pids (\d+) (\d+)/)).slice(1).map(Number);
    started.push(...pids);
    job.signalGroup("SIGKILL");
    await job.ended;
    await eventually("both have ended", () => !pids.some(isRunning));
  });

  it("when whoever started exec is killed", async () => {
    const folder = temporaryFolder();
    const wrapper = join(folder, "wrapper.cjs");
    writeFileSync(
      wrapper,
      `
        const child = require("node:child_process").spawn(process.execPath, ${JSON.stringify([
          BIN,
          "exec",
          ...script(withChild()),
        ])}, { stdio: ["ignore", "inherit", "inherit"] });
        console.log("exec " + child.pid);
      `,
    );
    const parent = spawn(process.execPath, [wrapper], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    parent.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    parent.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await eventually("it runs", () => /exec \d+/.test(stdout) && /pids \d+ \d+/.test(stdout));
    const pids = stdout.match(/\d+/g)!.map(Number);
    started.push(parent.pid!, ...pids);
    expect(pids).toHaveLength(3);
    parent.kill("SIGKILL");
    await eventually("all have ended", () => !pids.some(isRunning));
    expect(stderr).toBe("payments-sandbox: the parent process has ended: stopping the command\n");
  });

  it("of the guard", async () => {
    const job = new Job(["exec", "--", "/bin/sh", "-c", "echo pid $$; cat"]);
    await job.printed(/pid/);
    await job.ended;
    await eventually("the group is empty", () => {
      try {
        process.kill(-job.child.pid!, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});

describe("a command that cannot be run", () => {
  it.each([
    ["an empty name", "", 127, '"": command not found'],
    ["a path through a file", `${BIN}/x`, 126, `${BIN}/x: cannot be run (ENOTDIR)`],
  ])("%s is told in a line", async (_name, command, code, expected) => {
    const ended = await run(["exec", "--", command]);
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", `payments-sandbox: ${expected}\n`]);
  });

  it("knows no template by the name of what every object has", async () => {
    const { code, stderr } = await carryOut(["exec", "--env", "X={constructor}", ...script("")]);
    expect(code).toBe(1);
    expect(stderr).toContain("--env X: there is no {constructor}; known: {base_url}");
  });
});
