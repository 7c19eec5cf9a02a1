import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atEndOfFile } from "./lifetime.js";

/** Creates a temporary folder, removed at the end of the test file. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "payments-sandbox-test-")));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export function temporaryFile(name: string, text: string): string {
  return join(folderWith({ [name]: text }), name);
}
