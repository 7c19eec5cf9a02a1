import { DEFAULT_HOST, DEFAULT_PORT } from "../core/schema/option-schemas.js";
import { openSandbox } from "../library/opening.js";
import { printText } from "./terminal.js";

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
