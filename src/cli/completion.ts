import type { Command } from "commander";
import { didYouMean } from "../core/schema/nearest.js";
import { UserError } from "../core/schema/user-error.js";
import { printText } from "./terminal.js";

const SHELLS = ["bash", "zsh", "fish"];

type Words = ReturnType<typeof wordsOf>;

/** `completion SHELL`: prints a script that contains all commands, so completion never runs the program. */
export function printCompletion(root: Command, shell: string): void {
  if (!SHELLS.includes(shell))
    throw new UserError(
      `there is no completion for ${shell}${didYouMean(shell, SHELLS)} (there is for ${SHELLS.join(", ")})`,
    );
  const commands = root.commands.map(wordsOf);
  printText(shell === "fish" ? fishScript(commands) : bashScript(commands, shell === "zsh"));
}

/** The completions of a command: its options and the values of its arguments. */
function wordsOf(command: Command) {
  const help = command.createHelp();
  return {
    name: command.name(),
    about: command.description(),
    // Every option has a long name; a test checks it.
    options: help.visibleOptions(command).map(({ long, required, description }) => ({
      long: long!,
      takesValue: required,
      about: description,
    })),
    verbs: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

/** Script for bash, and for zsh with bashcompinit. Both shells complete file names where no word fits. */
function bashScript(commands: readonly Words[], isZsh: boolean): string {
  const line = (pattern: string, words: readonly string[]) => `    ${pattern}) words="${words.join(" ")}" ;;`;
  const options = (words: Words) => words.options.map(({ long }) => long);
  const start = commands.find(({ name }) => name === "start")!;
  return `${isZsh ? "#compdef payments-sandbox\nautoload -U +X bashcompinit && bashcompinit\n" : ""}\
_payments_sandbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  local command="\${COMP_WORDS[1]}"
  if [[ $COMP_CWORD -eq 1 && "$current" != -* ]]; then command="(none)"; fi
  case "$command:$current" in
${[
  line('"(none):"*', [...commands.map(({ name }) => name), "help"]),
  ...commands.map((one) => line(`${one.name}:-*`, options(one))),
  ...commands.filter(({ verbs }) => verbs.length > 0).map((one) => line(`${one.name}:*`, one.verbs)),
  line("-*:-*", [...options(start), "--version"]),
].join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _payments_sandbox payments-sandbox
`;
}

function fishScript(commands: readonly Words[]): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const rule = (condition: string, rest: string) =>
    `complete -c payments-sandbox -n ${quoted(condition)} ${rest}`;
  return `${commands
    .flatMap(({ name, about, options, verbs }) => {
      const after = `__fish_seen_subcommand_from ${name}`;
      return [
        rule("__fish_use_subcommand", `-a ${name} -d ${quoted(about)}`),
        ...options.map((option) =>
          rule(
            after,
            `-l ${option.long.slice(2)}${option.takesValue ? " -r" : ""} -d ${quoted(option.about)}`,
          ),
        ),
        ...(verbs.length === 0 ? [] : [rule(after, `-a ${quoted(verbs.join(" "))}`)]),
      ];
    })
    .join("\n")}\n`;
}
