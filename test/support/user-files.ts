import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

let folder: string | undefined;

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

/** A file as a user writes one for the sandbox to start with; gone when the test file is through. */
export function userFile(name: string, text: string): string {
  folder ??= mkdtempSync(join(tmpdir(), "payments-sandbox-"));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
