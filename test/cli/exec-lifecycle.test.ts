import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { temporaryFile, temporaryFolder } from "../support/folders.js";
import { Command, isAlive, ROOT, run } from "../support/process-command.js";
import { isHere } from "../support/programs.js";

afterEach(async () => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

const BIN = join(ROOT, "bin/payments-sandbox.js");
const isLinux = process.platform === "linux";
/** Processes to kill after the test. */
const started: number[] = [];

/** Arguments of exec that run `node -e SCRIPT ARGS…`. */
function script(source: string, ...args: string[]): string[] {
  return ["--", process.execPath, "-e", source, ...args];
}

/** A command that logs each signal and ignores it. */
function stubborn(log: string): string {
  return `
    const { appendFileSync } = require("node:fs");
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"])
      process.on(name, () => appendFileSync(${JSON.stringify(log)}, name + "\\n"));
    setInterval(() => {}, 1e6);
    console.log("pid " + process.pid);
  `;
}

/** A command and a child process that both ignore signals. */
function withChild(): string {
  return `
    for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {});
    const child = require("node:child_process").spawn("/bin/sh", ["-c", "trap '' INT TERM; echo ready $$; exec sleep 1000"],
      { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", (text) => console.log("pids " + process.pid + " " + String(text).match(/\\d+/)[0]));
    setInterval(() => {}, 1e6);
  `;
}

const eventually = (condition: () => boolean) => expect.poll(condition, { interval: 20 }).toBe(true);

/** Returns false for zombies. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid) || !isLinux) return isAlive(pid);
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** Shortest time between two key presses of a person. */
const aMoment = (ms = 200) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads the printed pids and kills them after the test. */
async function pidsOf(command: Command): Promise<number[]> {
  const [, texts] = await command.printed(/^pids? ([\d ]+)\n/m);
  const pids = texts!.split(" ").map(Number);
  started.push(...pids);
  return pids;
}

/** Repeats the press, because a busy system may merge two signals. */
async function pressed(press: () => void, pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) {
    press();
    await aMoment();
  }
}

const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];

/** Starts the command in a new process group. */
const job = (args: readonly string[]) => new Command(args, { isJob: true });

it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const)(
  "%s to the process group reaches the command once",
  async (signal) => {
    const log = join(temporaryFolder(), "signals");
    const command = job(["exec", ...script(stubborn(log))]);
    await pidsOf(command);
    command.signalGroup(signal);
    await eventually(() => lines(log).length > 0);
    // Signals arrive in order: a second copy would have arrived before this one.
    const other = signal === "SIGUSR2" ? "SIGHUP" : "SIGUSR2";
    command.signal(other);
    await eventually(() => lines(log).includes(other));
    expect(lines(log)).toEqual([signal, other]);
  },
);

it("a signal that a wrapper also forwards reaches the command once", async () => {
  const log = join(temporaryFolder(), "signals");
  const command = job(["exec", ...script(stubborn(log))]);
  const [pid] = await pidsOf(command);
  command.signalGroup("SIGINT");
  await eventually(() => lines(log).length > 0);
  // A busy wrapper may forward the signal this late.
  await aMoment(300);
  command.signal("SIGINT");
  command.signal("SIGUSR2");
  await eventually(() => lines(log).includes("SIGUSR2"));
  expect(lines(log)).toEqual(["SIGINT", "SIGUSR2"]);
  expect(isRunning(pid!)).toBe(true);
});

it("a second Ctrl-C kills the command and its children", async () => {
  const command = new Command(["exec", ...script(withChild())]);
  const pids = await pidsOf(command);
  command.signal("SIGINT");
  await aMoment();
  expect(pids.map(isRunning)).toEqual([true, true]);
  await pressed(() => command.signal("SIGINT"), pids);
  expect(await command.ended).toMatchObject({ code: 130, signal: null });
  expect(pids.map(isRunning)).toEqual([false, false]);
});

it("a second Ctrl-C to the process group kills the command and its children", async () => {
  const command = job(["exec", ...script(withChild())]);
  const pids = await pidsOf(command);
  command.signalGroup("SIGINT");
  await aMoment();
  expect(pids.map(isRunning)).toEqual([true, true]);
  await pressed(() => command.signalGroup("SIGINT"), pids);
  expect(await command.ended).toMatchObject({ code: 130, signal: null });
  expect(pids.map(isRunning)).toEqual([false, false]);
});

const NO_CALL =
  "payments-sandbox: the command made no call to the payments API; does it use PAYMENTS_BASE_URL?\n";

it.runIf(isLinux)("exec kills background processes of the command", async () => {
  const file = join(temporaryFolder(), "pid");
  const source = `sleep 1000 & echo $! > ${file}; until grep -q sleep /proc/$!/comm; do :; done; exit 3`;
  const { code, stderr } = await run(["exec", "--", "/bin/sh", "-c", source]);
  const pid = Number(readFileSync(file, "utf8"));
  started.push(pid);
  expect(code).toBe(3);
  expect(stderr).toBe(
    `payments-sandbox: the command left running, ended now: ${pid} (sleep 1000)\n${NO_CALL}`,
  );
  expect(isRunning(pid)).toBe(false);
});

it.runIf(isLinux && isHere("python3"))("exec kills a process whose first thread has ended", async () => {
  const program = temporaryFile(
    "threads.py",
    `import ctypes, threading, time
threading.Thread(target=lambda: time.sleep(1000)).start()
ctypes.CDLL(None).pthread_exit(None)`,
  );
  const file = join(temporaryFolder(), "pid");
  const source = `python3 ${program} >/dev/null 2>&1 & echo $! > ${file}; until grep -q ') Z' /proc/$!/stat; do :; done; exit 3`;
  const { code, stderr } = await run(["exec", "--", "/bin/sh", "-c", source]);
  const pid = Number(readFileSync(file, "utf8"));
  started.push(pid);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(`ended now: ${pid} `) });
  expect(existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [`${pid}`]).toEqual([`${pid}`]);
});

it.runIf(isLinux)("exec does not kill processes that have left the session", async () => {
  const source = `
      const child = require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
      child.unref();
      console.log("pid " + child.pid);
    `;
  const { code, stdout, stderr } = await run(["exec", ...script(source)]);
  const pid = Number(/pid (\d+)/.exec(stdout)![1]);
  started.push(pid);
  expect([code, stderr, isRunning(pid)]).toEqual([0, NO_CALL, true]);
});

it("the command ends when the parent of exec is killed", async () => {
  const line = JSON.stringify([BIN, "exec", ...script(withChild())]);
  const wrapper = `
      const child = require("node:child_process").spawn(process.execPath, ${line}, { stdio: ["ignore", "inherit", "inherit"] });
      console.log("pid " + child.pid);
    `;
  const parent = new Command([], { file: temporaryFile("wrapper.cjs", wrapper) });
  await parent.printed(/pid \d+/);
  await parent.printed(/pids \d+ \d+/);
  const pids = parent.stdout.match(/\d+/g)!.map(Number);
  started.push(...pids);
  expect(pids).toHaveLength(3);
  parent.signal("SIGKILL");
  await eventually(() => !pids.some(isRunning));
  expect(parent.stderr).toBe("payments-sandbox: the parent process has ended: stopping the command\n");
});
