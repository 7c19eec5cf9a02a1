import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The code blocks of a page that are marked `<!-- runnable: NAME -->`, exactly as they stand there. */
export function runnableBlocks(page: string): { name: string; code: string; printed: string | undefined }[] {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = text.matchAll(
    /<!-- runnable: (\S+) -->\n```\w+\n([\s\S]*?)```(?:\n\nIt prints\n\n```text\n([\s\S]*?)```)?/g,
  );
  return [...blocks].map(([, name, code, printed]) => ({ name: name!, code: code!, printed }));
}

/** Runs a block as a file of its own in the package, where `payments-sandbox` is this checkout's build. */
export function runBlock(
  name: string,
  code: string,
): Promise<{ stdout: string; stderr: string; code: number }> {
  const file = join(root, `.docs-${process.pid}-${name}`);
  writeFileSync(file, code);
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { cwd: root, timeout: 250_000 }, (error, stdout, stderr) => {
      rmSync(file, { force: true });
      resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
    });
  });
}
