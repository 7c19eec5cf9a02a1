// docs/command-line.md: commands from commander's objects, options from their table.
import { Command } from "commander";
import { code, definitions, page } from "./markdown.mjs";

const INTRODUCTION = `Every command and option, as \`npx payments-sandbox COMMAND --help\` prints them, and exit codes.`;

/** Options that OUTPUT explains for all commands that have them. */
const COMMON = new Set(["--json", "--junit <file>", "--limit <number>"]);

const START = `\`exec\` takes them too, with other defaults: any free port, a fixed seed, no rate limit. Each can also be set elsewhere:

- **As a variable**, \`PAYMENTS_SANDBOX_START_TIME\`: lists are separated by commas; \`0\`, \`false\`, \`no\` and \`off\` turn a switch off.
- **In the config file**, \`start_time\`: the file is \`payments-sandbox.config.yaml\`, \`.yml\` or \`.json\` in the working directory, or the one
  named by \`-c, --config\` or \`PAYMENTS_SANDBOX_CONFIG\`. \`init\` writes one with every key in a comment.

An option goes before a variable, a variable before the file. Durations are \`500ms\`, \`30s\`, \`10m\`, \`2h\`, \`1d\`, or sums of them. In addresses a
missing scheme means http, and a number alone is a local port: \`3000/webhooks\` is \`http://localhost:3000/webhooks\`.`;

const SELECTORS = `The token can also come from \`PAYMENTS_SANDBOX_CONTROL_TOKEN\`. A charge is selected by

- its id, or any unique beginning of it (\`ch_8cb0\`)
- \`last\` or \`last-1\`
- an e-mail: the newest charge of that customer
- \`order=1042\`: its \`metadata.order_id\` or \`metadata.order\`; other keys likewise

Deliveries and withdrawals are selected by id, beginning or \`last\`. An ambiguous one is refused with the candidates.`;

const OUTPUT = `In reports \`✓\` is right and \`✗\` wrong. \`○\` is a note, or proves nothing; only with \`--strict\` can it fail. \`?\` is too early to say.

In a pipe nothing is cut. Lists take \`--limit NUMBER\`. \`run\`, \`explore\`, \`reconcile\` and \`check-webhook\` take \`--junit FILE\`, which also
writes the report as JUnit XML. \`--json\` prints JSON; an error is \`{"error": {"code", "message", "details", "fix", "doc"}}\`, where \`fix\` says what to
do and \`doc\` is the page to read. \`--no-color\` and \`NO_COLOR\` turn colours off. On a terminal \`start\` takes keys: \`p\` freezes the clock,
\`a\` advances it by 10 s, \`q\` quits.

- \`exec\`: its command's code; 1 if that passed and \`--reconcile\`, \`--require\`, \`--strict\` or \`--under\` found something; 2 if it
  could not run, or there was nothing to compare; with \`--explore\`, as \`explore\`
- \`run\`, \`explore\`, \`reconcile\`, \`check-webhook\`: 0 passed, 1 something was found, 2 could not run
- \`validate\`: 0 valid, 2 invalid
- others: 0 or 1`;

export function commandLinePage(source) {
  const program = idleProgram(source);
  const start = program.commands.find((command) => command.name() === "start");
  const shared = new Command();
  source.addConnectionOptions(shared);
  return page("The command line", [
    INTRODUCTION,
    "## Commands",
    ...commandLists(program),
    "## Output and exit codes",
    OUTPUT,
    "## Options of start",
    START,
    definitions(source.OPTION_ROWS.map(({ flags, help }) => [code(flags), help])),
    "## In the config file only",
    definitions(
      Object.entries(source.OPTIONS)
        .filter(([, { flags }]) => flags === undefined)
        .map(([key, { help, sample }]) => [code(key), `${help}: ${code(sample)}`]),
    ),
    "## Options of the others",
    "Commands for a running sandbox share these:",
    definitions(
      shared.options
        .filter(({ flags }) => !COMMON.has(flags))
        .map(({ flags, description }) => [code(flags), description]),
    ),
    SELECTORS,
    ...ownOptions(program, { exec: start.options, others: shared.options }),
  ]);
}

/** The program as the command line has it. */
function idleProgram({ addCommands, addStartOptions, groupCommands }) {
  const root = new Command("payments-sandbox").enablePositionalOptions();
  addStartOptions(root.command("start").description("run the sandbox until it is interrupted (the default)"));
  addCommands(root);
  groupCommands(root);
  return root;
}

/** The commands under the headings of the help, in its order. */
function commandLists(program) {
  const groups = new Map();
  for (const command of program.createHelp().visibleCommands(program)) {
    const group = command.helpGroup();
    if (group === "") continue;
    const row = [code(usageOf(command)), command.description().replace(/; exits .*/, "")];
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups].flatMap(([group, rows]) => [`**${group.replace(":", "")}**`, definitions(rows)]);
}

function usageOf(command) {
  const words = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? "…" : ""}`;
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  return [command.name(), ...words].join(" ");
}

/** A list for each command: its options, but for those that the lists above have. */
function ownOptions({ commands }, known) {
  const explored = optionsOf(
    commands.find((command) => command.name() === "explore"),
    known.others,
  );
  return commands
    .filter((command) => command.name() !== "start")
    .flatMap((command) => {
      const isExec = command.name() === "exec";
      const own = optionsOf(command, isExec ? known.exec : known.others);
      const ofExplore = ({ flags, description }) =>
        isExec && explored.some((one) => one.flags === flags && description.endsWith(one.description));
      const rows = own
        .filter((option) => !ofExplore(option))
        .map(({ flags, description }) => [code(flags), description]);
      const others = isExec
        ? [["Those of [`start`](#options-of-start); with `--explore`, of [`explore`](#explore)", ""]]
        : [];
      return rows.length === 0 ? [] : [`### ${code(command.name())}`, definitions([...rows, ...others])];
    });
}

/** The options of a command that `known` does not have, or has with another meaning. */
function optionsOf(command, known) {
  const isKnown = ({ flags, description }) =>
    known.some(
      (one) => one.flags === flags && (command.name() === "exec" || one.description === description),
    );
  return command.options.filter((option) => !option.hidden && !COMMON.has(option.flags) && !isKnown(option));
}
