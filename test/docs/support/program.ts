import { Command } from "commander";
import { addCommands } from "../../../src/cli/commands.js";
import { addStartOptions } from "../../../src/cli/options.js";

/** The command line's program, whose commands do nothing. */
export function idleProgram(): Command {
  const root = new Command("payments-sandbox").enablePositionalOptions().exitOverride();
  // As in src/cli/main.ts, where `start` is loaded separately.
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
