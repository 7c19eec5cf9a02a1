import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/core/schema/user-error.js";
import { PAGES, pageText } from "./support/pages.js";
import { idleProgram } from "./support/program.js";

/** Matches the name as a separate word, outside files and URLs. */
const CALL = /^(.*?)(?<![\w/.:@-])payments-sandbox(?:@[\w.]+)?((?:[ \t]+[^\n]*)?)$/gm;
const written = [...PAGES, "examples/README.md"].flatMap(writtenCommands);

/** Returns the program's error for a command line. */
async function findError({ words }: WrittenCommand): Promise<string | undefined> {
  const program = idleProgram();
  if (words.length === 1 && program.commands.some((command) => command.name() === words[0])) return undefined;
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    if (error instanceof CommanderError || error instanceof UserError) return error.message;
    throw error;
  }
  return undefined;
}

describe("commands on the pages", () => {
  it("finds over forty commands in the docs", () => {
    expect(written.length).toBeGreaterThan(40);
    expect(new Set(written.map(({ page }) => page)).size).toBeGreaterThan(6);
  });

  it.each(written)("the program accepts $text ($page)", async (command) => {
    expect(await findError(command)).toBe(undefined);
  });

  it.each([
    "`payments-sandbox start --prot 1`",
    "`payments-sandbox webhook redelivr last`",
    "`npx payments-sandbox check-webhook --json`",
    "`payments-sandbox exec --env A`",
  ])("the program refuses %s with a mistake", async (text) => {
    const words = text.replaceAll("`", "").split("payments-sandbox ")[1]!.split(" ");
    expect(await findError({ page: "", text, words })).toEqual(expect.any(String));
  });
});

/** A call of the program on a page. */
interface WrittenCommand {
  readonly page: string;
  /** The text on the page. */
  readonly text: string;
  /** Arguments after `payments-sandbox`. */
  readonly words: readonly string[];
}

/** Returns every call of the program on a page. */
function writtenCommands(page: string): WrittenCommand[] {
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

/** Splits a shell line into words up to the end of the command. */
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
