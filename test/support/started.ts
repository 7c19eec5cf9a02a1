import { Command, type CommandOptions, type ReadyLine } from "./process-command.js";
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
