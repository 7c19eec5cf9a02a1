import type { Command, Option } from "commander";
import { environmentVariableOf, OPTION_ROWS } from "../../../src/cli/options.js";

const cell = (text: string): string => text.replaceAll("|", "\\|");
const row = (...cells: string[]): string => `| ${cells.map(cell).join(" | ")} |`;

function table(head: readonly string[], rows: readonly string[]): string {
  return [row(...head), `|${head.map(() => "---|").join("")}`, ...rows].join("\n");
}

/** Every command, with its words, and what it does. */
export function commandTable(program: Command): string {
  const rows = program.commands.map((command) => row(`\`${usageOf(command)}\``, command.description()));
  return table(["command", "does"], rows);
}

function usageOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? "…" : ""}`;
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  return [command.name(), ...words].join(" ");
}

/** The options of `start`, each with its names elsewhere. */
export function startTable(): string {
  const rows = OPTION_ROWS.map(({ name, flags, help: says }) =>
    row(`\`${flags}\``, `\`${name}\``, `\`${environmentVariableOf(name)}\``, says),
  );
  return table(["option", "config key", "variable", ""], rows);
}

/** Options of each other command, without those of `start` and the common ones. */
export function otherOptionsTable(program: Command): string {
  const rows = program.commands
    .filter((command) => command.name() !== "start")
    .flatMap((command) =>
      ownOptions(program, command).map((option) =>
        row(`\`${command.name()}\``, `\`${option.flags}\``, option.description),
      ),
    );
  return table(["command", "option", ""], rows);
}

/** Options of every command for a running sandbox. */
export function sharedTable(program: Command): string {
  return table(
    ["option", ""],
    sharedOptions(program).map((option) => row(`\`${option.flags}\``, option.description)),
  );
}

function ownOptions(program: Command, command: Command): readonly Option[] {
  const start = program.commands.find((one) => one.name() === "start")!;
  const elsewhere = command.name() === "exec" ? start.options : speaks(command) ? sharedOptions(program) : [];
  const known = new Set(elsewhere.map(({ flags }) => flags));
  return command.options.filter(({ flags, hidden }) => !hidden && !known.has(flags));
}

function sharedOptions(program: Command): readonly Option[] {
  // `reset` is as good as any: it has them all, and they are said the same for all.
  return program.commands.find((one) => one.name() === "reset")!.options.slice(-4);
}

/** The commands that speak to a running sandbox, by name. */
export function speaking(program: Command): string[] {
  return program.commands.filter(speaks).map((command) => command.name());
}

function speaks(command: Command): boolean {
  return command.options.some(({ description }) => description.startsWith("the running sandbox"));
}
