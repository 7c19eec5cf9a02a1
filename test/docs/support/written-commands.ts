import { pageText } from "./pages.js";

/** A call of the program that a page shows. */
export interface WrittenCommand {
  readonly page: string;
  /** As it stands there. */
  readonly text: string;
  /** Arguments after `payments-sandbox`. */
  readonly words: readonly string[];
}

/** Every call of the program in a page's blocks and in its `code`, but for those that install it. */
export function writtenCommands(page: string): WrittenCommand[] {
  const text = pageText(page);
  const blocks = [...text.matchAll(/^ *```\w+\n([\s\S]*?)^ *```$/gm)].map(([, code]) => code!);
  const prose = text.replace(/^ *```\w+\n[\s\S]*?^ *```$/gm, "");
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replaceAll("\n", " "));
  return [...blocks, ...inline].flatMap((code) =>
    [...code.replaceAll(/\\\n\s*/g, " ").matchAll(CALL)].flatMap(([call, before, rest]) =>
      /(install|pack|view) (\S+ )*$/.test(before!)
        ? []
        : [{ page, text: call!.trim(), words: wordsOf(rest!) }],
    ),
  );
}

/** The name as a word of its own: no file, URL or package path that begins or ends with it. */
const CALL = /^(.*?)(?<![\w/.:@-])payments-sandbox(?:@[\w.]+)?((?:[ \t]+[^\n]*)?)$/gm;

/** The words of a shell line up to where the command ends. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [whole, single, double] of line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|[^\s'"]+/g)) {
    if (single !== undefined || double !== undefined) {
      words.push(single ?? double!);
      continue;
    }
    if (/^(#|&&?$|\|\|?|;|\d?>|<)/.test(whole)) break;
    const [word, ends] = /^(.*?)([;)]?)$/.exec(whole)!.slice(1) as [string, string];
    words.push(word);
    if (ends !== "") break;
  }
  return words;
}
