import { Command } from "commander";
import { addCommands } from "../../src/cli/commands.js";
import { addStartOptions } from "../../src/cli/options.js";

/** Builds all commands. */
export function buildProgram(): Command {
  const root = new Command("payments-sandbox").exitOverride().enablePositionalOptions();
  root.configureOutput({ outputError: () => {} });
  addStartOptions(root.command("start", { isDefault: true }));
  addCommands(root);
  return root;
}

export function commandNames(): string[] {
  return buildProgram().commands.map((command) => command.name());
}
