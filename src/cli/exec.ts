import { spawn } from "node:child_process";
import { constants } from "node:os";
import { openSandbox, type Sandbox } from "../sandbox.js";
import { UserError } from "../schema/user-error.js";
import { startOptions } from "./options.js";

/** Exit code of a shell for a command that is not there, or may not be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/** `exec`: a sandbox on a free port, the command with what it needs in its environment, the command's own exit code. */
export async function exec(
  command: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const options = await startOptions(flags);
  const templates = ((flags.env as string[] | undefined) ?? []).map(parseTemplate);
  const sandbox = await openSandbox({ ...options, makeUpSeed: false, ownsProcess: true });
  try {
    await sandbox.listen({ port: options.port ?? 0 });
    process.exitCode = await run(command, { ...process.env, ...environmentOf(sandbox, templates) });
  } finally {
    await sandbox.close();
  }
}

interface Template {
  readonly name: string;
  readonly text: string;
}

function parseTemplate(given: string): Template {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(given);
  if (match === null) throw new UserError(`--env takes NAME=TEMPLATE, not ${JSON.stringify(given)}`);
  return { name: match[1]!, text: match[2]! };
}

function environmentOf(sandbox: Sandbox, templates: readonly Template[]): Record<string, string> {
  const values: Record<string, string> = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    webhook_secret: sandbox.webhookSecret,
    sandbox_url: sandbox.url,
  };
  const environment: Record<string, string> = {
    PAYMENTS_BASE_URL: sandbox.url,
    PAYMENTS_API_KEY: sandbox.apiKey,
    PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
    PAYMENTS_SANDBOX_URL: sandbox.url,
  };
  for (const { name, text } of templates)
    environment[name] = text.replace(/\{(\w+)\}/g, (whole, key: string) => {
      const value = values[key];
      if (value === undefined)
        throw new UserError(
          `--env ${name}: there is no ${whole}; known: ${Object.keys(values)
            .map((one) => `{${one}}`)
            .join(", ")}`,
        );
      return value;
    });
  return environment;
}

/** Runs the command to its end, signals passed on to it. Resolves with the exit code a shell would give. */
function run(command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command[0]!, command.slice(1), { stdio: "inherit", env: environment });
    const passOn = (signal: NodeJS.Signals) => child.kill(signal);
    for (const signal of PASSED_ON) process.on(signal, passOn);
    const done = (code: number): void => {
      for (const signal of PASSED_ON) process.off(signal, passOn);
      resolve(code);
    };
    child.once("error", (error: NodeJS.ErrnoException) => {
      const missing = error.code === "ENOENT";
      process.stderr.write(
        `payments-sandbox: ${command[0]}: ${missing ? "command not found" : `cannot be run (${error.code ?? error.message})`}\n`,
      );
      done(missing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once("exit", (code, signal) =>
      done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
