import { openSandbox, type Sandbox } from "../sandbox.js";
import { DEFAULT_PORT, DEFAULT_RATE_LIMIT } from "../schema/options.js";
import { startOptions } from "./options.js";
import { banner, readyLine } from "./ready.js";

/** `start`: serves until SIGINT or SIGTERM, and leaves with 0. */
export async function start(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const options = await startOptions(flags);
  const sandbox = await openSandbox({
    ...options,
    rate_limit: options.rate_limit ?? DEFAULT_RATE_LIMIT,
    makeUpSeed: true,
    ownsProcess: true,
  });
  try {
    await sandbox.listen({ port: options.port ?? DEFAULT_PORT });
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  if (options.json) process.stdout.write(`${JSON.stringify(readyLine(sandbox, options.public_url))}\n`);
  else if (!options.quiet) process.stdout.write(banner(sandbox, options));
  stopOnSignals(sandbox);
}

function stopOnSignals(sandbox: Sandbox): void {
  let isStopping = false;
  const stop = (): void => {
    // A second Ctrl-C does not wait for anything.
    if (isStopping) process.exit(0);
    isStopping = true;
    void sandbox.close().then(() => process.exit(0));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}
