import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/core/schema/user-error.js";
import { PAGES } from "./support/pages.js";
import { idleProgram } from "./support/program.js";
import { type WrittenCommand, writtenCommands } from "./support/written-commands.js";

const written = [...PAGES, "examples/README.md"].flatMap(writtenCommands);

/** The program's error for a command line, or nothing. A command's bare name is a mention of it. */
async function complaint({ words }: WrittenCommand): Promise<string | undefined> {
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

describe("the commands on the pages", () => {
  it("are more than a few", () => {
    expect(written.length).toBeGreaterThan(40);
    expect(new Set(written.map(({ page }) => page)).size).toBeGreaterThan(6);
  });

  it.each(written)("are valid: $text ($page)", async (command) => {
    expect(await complaint(command)).toBe(undefined);
  });

  it.each([
    "`payments-sandbox start --prot 1`",
    "`payments-sandbox webhook redelivr last`",
    "`npx payments-sandbox check-webhook --json`",
    "`payments-sandbox exec --env A`",
  ])("would be detected when wrong: %s", async (text) => {
    const words = text.replaceAll("`", "").split("payments-sandbox ")[1]!.split(" ");
    expect(await complaint({ page: "", text, words })).toEqual(expect.any(String));
  });
});
