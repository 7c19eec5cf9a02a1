import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/process-command.js";

/** Pages for users. */
export const PAGES: readonly string[] = ["README.md", ...pagesIn("docs")];
/** Pages for maintainers. */
export const INTERNAL: readonly string[] = pagesIn("docs/internal");

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .sort();
}

export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

export interface Block {
  readonly page: string;
  /** The mark before the block, such as `run: order`. */
  readonly marker: string | undefined;
  readonly language: string;
  readonly code: string;
  /** The output shown on the page. */
  readonly printed: string | undefined;
  /** The last lines of output on the page. */
  readonly ending: string | undefined;
}

/** Returns every code block of a page, except blocks of output. */
export function blocksOf(page: string): Block[] {
  const found = pageText(page).matchAll(
    /(?:<!-- ([^>\n]*) -->\n)?^ *```(\w+)\n([\s\S]*?)^ *```$(?:\n\n(It prints|It ends with)\n\n```text\n([\s\S]*?)```)?/gm,
  );
  return [...found].map(([, marker, language, code, says, text]) => ({
    page,
    marker,
    language: language!,
    code: code!,
    printed: says === "It prints" ? text : undefined,
    ending: says === "It ends with" ? text : undefined,
  }));
}

export function markedBlock(page: string, marker: string): Block {
  const found = blocksOf(page).find((block) => block.marker === marker);
  if (found === undefined) throw new Error(`${page} has no block marked ${marker}`);
  return found;
}

export function blocksOfKind(page: string, kind: string): (Block & { readonly name: string })[] {
  return blocksOf(page).flatMap((block) => {
    const [, name] = block.marker?.split(`${kind}: `) ?? [];
    return block.marker?.startsWith(`${kind}: `) ? [{ ...block, name: name! }] : [];
  });
}
