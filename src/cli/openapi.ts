import { DEFAULT_HOST, DEFAULT_PORT } from "../core/schema/option-schemas.js";
import { openSandbox } from "../library/opening.js";
import { sandboxUrl } from "../library/port.js";
import { readStartOptions } from "./options.js";
import { printJson, printText } from "./terminal.js";

/** `openapi`: prints the OpenAPI document of the service, or of the control API with `--control`. */
export async function printOpenApi(flags: Readonly<Record<string, unknown>>): Promise<void> {
  // Without `data`, the data file stays closed.
  const { control, ...startFlags } = flags;
  const { data, fsync, ...options } = await readStartOptions(startFlags);
  const sandbox = await openSandbox({ ...options, clock: "manual" });
  try {
    const address = sandboxUrl(options.host ?? DEFAULT_HOST, options.port || DEFAULT_PORT, options);
    const answer = await sandbox.fetch(
      new Request(`${address}${control === true ? "/_sandbox" : ""}/openapi.json`),
    );
    printJson(await answer.json(), 2);
  } finally {
    await sandbox.close();
  }
}

/** `guide`: the page that a sandbox serves at /llms.txt. */
export async function printGuide(): Promise<void> {
  const sandbox = await openSandbox({ clock: "manual" });
  try {
    const answer = await sandbox.fetch(new Request(`http://${DEFAULT_HOST}:${DEFAULT_PORT}/llms.txt`));
    printText(await answer.text());
  } finally {
    await sandbox.close();
  }
}
