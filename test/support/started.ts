import { expect } from "vitest";
import { Command, type CommandOptions, type Finished, type ReadyLine, run } from "./process-command.js";
import { Client } from "./receiver-client.js";

export interface Started {
  readonly command: Command;
  readonly ready: ReadyLine;
  readonly url: string;
  readonly client: Client;
}

/** `start`, at a free port and without a rate limit, once it can be reached, and a shop that calls it. */
export async function startServer(args: readonly string[] = [], options?: CommandOptions): Promise<Started> {
  const command = new Command(["start", "--json", "-p", "0", "--rate-limit", "off", ...args], options);
  const ready = await command.ready();
  return { command, ready, url: ready.url, client: Client.at(ready.url) };
}

/** The one line of a command that was refused, without the program's name. */
export function refusal({ code, stdout, stderr }: Finished): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^payments-sandbox: [^\n]+\n$/);
  return stderr.slice("payments-sandbox: ".length, -1);
}

/** Runs commands with these options, each to its end. */
export function commandLine(options: () => CommandOptions) {
  const runCommand = (...args: string[]): Promise<Finished> => run(args, options());
  /** The output of a command that must succeed. */
  const output = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever is printed
  const json = async (...args: string[]): Promise<any> => JSON.parse(await output(...args, "--json"));
  const refused = async (...args: string[]): Promise<string> => refusal(await runCommand(...args));
  return { runCommand, output, json, refused };
}
