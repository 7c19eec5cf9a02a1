import { spawn } from "node:child_process";
import { connect } from "node:net";
import { appEnvironment, type ControlClient } from "../core/client/control-client.js";
import { errorText } from "../core/schema/error-text.js";
import { UserError } from "../core/schema/user-error.js";
import { systemWallClock } from "../core/time/wall-clock.js";
import type { RunCommand } from "../tools/scenario/running/context.js";
import { signalProcess } from "./exec/processes.js";

const OUTPUT_MAX = 100_000_000;
/** Maximum length of the end of a command's standard error that is kept. */
const ERROR_MAX = 1_000;

/**
 * Runs a command of the app in a shell. Returns its output. @throws UserError if it fails or prints too much
 *
 * @param timeoutMs limit of wall time; with it the error quotes the last line of standard error, which is not printed
 */
export async function readCommandOutput(
  command: string,
  environment: NodeJS.ProcessEnv,
  timeoutMs?: number,
): Promise<string> {
  const isQuiet = timeoutMs !== undefined;
  // Its own process group, so that a timeout ends all of it.
  const detached = isQuiet && process.platform !== "win32";
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      env: environment,
      stdio: ["ignore", "pipe", isQuiet ? "pipe" : "inherit"],
      detached,
    });
    let [text, errors] = ["", ""];
    let failure: string | undefined;
    const fail = (reason: string): void => {
      failure ??= reason;
      // Its descendants get no signal: they end at their next write.
      child.stdout!.destroy();
      if (detached) signalProcess(-child.pid!, "SIGKILL");
      else child.kill("SIGKILL");
    };
    const cancelTimeout = isQuiet
      ? systemWallClock.after(timeoutMs, () => fail(`does not end within ${timeoutMs / 1_000} s`))
      : () => {};
    child.stdout!.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (text.length > OUTPUT_MAX) fail(`prints more than ${OUTPUT_MAX / 1e6} MB`);
    });
    child.stderr?.setEncoding("utf8").on("data", (more: string) => {
      errors = (errors + more).slice(-ERROR_MAX);
    });
    child.once("error", (error) => reject(new UserError(`${command}: cannot be run (${errorText(error)})`)));
    child.once("close", (code, signal) => {
      cancelTimeout();
      if (code === 0) return resolve(text);
      const last = errors.trimEnd().split("\n").at(-1)!.trim();
      const reason = failure ?? (signal === null ? `exit ${code}` : `ended by ${signal}`);
      reject(new UserError(`${command}: ${reason}${last === "" ? "" : `: ${last}`}`));
    });
  });
}

/** Variables of a command that reads the app's records: those of this process, and of the app beside the sandbox. */
export async function readAppEnvironment(client: ControlClient, url: string): Promise<NodeJS.ProcessEnv> {
  const { api_key, webhook_secret } = (await client.run("getSandbox")) as Record<string, unknown>;
  const access = { url, apiKey: String(api_key), webhookSecret: String(webhook_secret) };
  return { ...process.env, ...appEnvironment(access) };
}

/** Makes a function that runs the commands of a file, with variables that are read once. */
export function commandRunner(readEnvironment: () => Promise<NodeJS.ProcessEnv>): RunCommand {
  let environment: Promise<NodeJS.ProcessEnv> | undefined;
  return async (command, timeoutMs) => {
    environment ??= readEnvironment();
    return readCommandOutput(command, await environment, timeoutMs);
  };
}

/** A host that drops packets neither accepts nor refuses a connection. */
const CONNECT_MS = 1_000;

export function isListening(app: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(app);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port) || (protocol === "https:" ? 443 : 80),
    });
    const done = (isThere: boolean) => () => {
      stopTimeout();
      socket.destroy();
      resolve(isThere);
    };
    const stopTimeout = systemWallClock.after(CONNECT_MS, done(false));
    socket.once("connect", done(true)).once("error", done(false));
  });
}
