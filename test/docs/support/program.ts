import { Command } from "commander";
import { addCommands } from "../../../src/cli/commands.js";
import { addStartOptions } from "../../../src/cli/options.js";

/** The program as the command line has it; its commands check what they are given, and do nothing. */
export function idleProgram(): Command {
  const root = new Command("payments-sandbox").enablePositionalOptions().exitOverride();
  // As in src/cli/main.ts, where `start` is made without the others.
  addStartOptions(
    root
      .command("start", { isDefault: true })
      .description("run the sandbox until it is interrupted (the default)"),
  );
  addCommands(root);
  for (const command of root.commands) {
    command.exitOverride().action(() => {});
    command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  }
  return root.configureOutput({ writeErr: () => {}, writeOut: () => {} });
}
