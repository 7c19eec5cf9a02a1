import { expect } from "vitest";
import { Command, type CommandOptions, type Finished, type ReadyLine, run } from "./process-command.js";
import { Client } from "./receiver-client.js";

export interface Started {
  readonly command: Command;
  readonly ready: ReadyLine;
  readonly url: string;
  readonly client: Client;
}

/** Starts a server on a free port without a rate limit. */
export async function startServer(args: readonly string[] = [], options?: CommandOptions): Promise<Started> {
  const command = new Command(["start", "--json", "-p", "0", "--rate-limit", "off", ...args], options);
  const ready = await command.ready();
  return { command, ready, url: ready.url, client: Client.at(ready.url) };
}

/** Returns the error line of a refused command. */
export function refusal({ code, stdout, stderr }: Finished): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/);
  return stderr.slice("payments-sandbox: ".length, -1);
}

/** Returns functions that run commands with these options. */
export function commandLine(options: () => CommandOptions) {
  const runCommand = (...args: string[]): Promise<Finished> => run(args, options());
  /** Returns the output of a command, which must succeed. */
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  const json = async (...args: string[]): Promise<any> => JSON.parse(await output(...args, "--json"));
  const refused = async (...args: string[]): Promise<string> => refusal(await runCommand(...args));
  return { runCommand, output, json, refused };
}
