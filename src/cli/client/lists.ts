import { LIST_COLUMNS, type ListName } from "../../core/reports/list-columns.js";
import { webhookTrouble } from "../../core/reports/trouble.js";
import { formatCount } from "../../core/schema/text-format.js";
import type { ClientAction, ClientCommand, CommandInput } from "./client-command.js";
import type { JsonBody } from "./connection.js";
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

/** Maximum number of failing webhooks in the line of a row. */
const WEBHOOKS_MAX = 2;

/** Formats a list of charges or withdrawals. Adds the failing webhooks of each, and the number of all that fail. */
export function withFailingWebhooks(
  name: "charges" | "withdrawals",
): NonNullable<ClientAction["formatResult"]> {
  const idField = name === "charges" ? "charge_id" : "withdrawal_id";
  return async (answer, { connection }) => {
    const { items, total } = await connection.get("/deliveries", { failing: 1, limit: 100 });
    // First the app's own errors, then receivers that do not respond.
    const failing = [...(items as JsonBody[])].sort(
      (a, b) => Number(a.answered === null) - Number(b.answered === null),
    );
    const troublesOf = (item: JsonBody): string[] =>
      failing
        .filter((delivery) => delivery[idField] === item[idField])
        .slice(0, WEBHOOKS_MAX)
        .flatMap((delivery) => webhookTrouble(delivery) ?? []);
    const count = formatCount(Number(total), "webhook");
    const footer = total === 0 ? [] : [`${count} failing: payments-sandbox deliveries --failing`];
    return tableFormatter(LIST_COLUMNS[name], { troublesOf, footer })(answer);
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
