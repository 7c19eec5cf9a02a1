import { LIST_COLUMNS, type ListName } from "../../core/reports/list-columns.js";
import type { ClientAction, ClientCommand, CommandInput } from "./client-command.js";
import { tableFormatter } from "./output.js";

const LIMIT = ["--limit <number>", "how many"] as const;

/** A command that prints a list of the control API, with an option per filter. */
export function listCommand(
  name: ListName,
  says: string,
  example: string,
  { options = [], ...action }: Pick<ClientCommand, "options"> & Partial<ClientAction> = {},
): ClientCommand {
  const own = filtersOf(name).flatMap(({ option }) => (option === undefined ? [] : [option]));
  return {
    usage: name,
    summary: says,
    example: `payments-sandbox ${example}`,
    options: [...options, ...own, LIMIT],
    defaultAction: { ...listAction(name), ...action },
  };
}

const filtersOf = (name: ListName) => LIST_COLUMNS[name].filters ?? [];

/** Action that prints a list. The flags filter the list. */
export function listAction(name: ListName, query: Readonly<Record<string, unknown>> = {}): ClientAction {
  return {
    call: async ({ connection, flags }) =>
      connection.get(`/${name}`, { ...listQuery(name, flags), ...query }),
    formatResult: tableFormatter(LIST_COLUMNS[name]),
  };
}

/** Query parameters of a list, from the command's flags. */
export function listQuery(name: ListName, flags: CommandInput["flags"]): Readonly<Record<string, unknown>> {
  const values = filtersOf(name).map(({ name, option: [spelling] = [""] }) => [
    name,
    flags[/^--([a-z]+)/.exec(spelling)?.[1] ?? ""],
  ]);
  return { ...Object.fromEntries(values), limit: flags.limit };
}
