import { printText } from "../terminal.js";
import { parseAssignments } from "./assignments.js";
import { type ClientCommand, createCallByName, flagText, requireArgument } from "./client-command.js";
import { listAction } from "./lists.js";
import { recordFormatter, tableFormatter } from "./output.js";

const DELIVERY = ["delivery_id", "event_id", "type", "url"];

export const WEBHOOK_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "trigger <type>",
    summary: "a new webhook event, for an existing charge or a sample of one",
    example: "payments-sandbox trigger charge.completed --charge last",
    options: [
      ["--charge <selector>", "the charge it is about: an id, last, email:a@b"],
      ["--set <path=value...>", "a field of its data (repeatable)"],
      ["--mode <mode>", "test or live, without a charge"],
      ["--force", "a custom type, with only the data that is set"],
    ],
    defaultAction: {
      call: async ({ connection, flags: { charge, set, mode, force }, positionalArguments: [type] }) => {
        const about = charge === undefined ? undefined : await connection.resolveCharge(String(charge));
        const data = parseAssignments(set);
        return connection.post("/events", {
          type,
          charge_id: about?.charge_id,
          data: Object.keys(data).length === 0 ? undefined : data,
          mode,
          force,
        });
      },
      formatResult: (event) =>
        recordFormatter("event_id", "type", "at", "deliveries")(event) +
        (event.deliveries === 0
          ? `not delivered: no ${event.mode}-mode endpoint takes ${event.type}; add one with: payments-sandbox webhook add URL\n`
          : ""),
    },
  },
  {
    usage: "webhook <verb> [target]",
    summary: "list | add URL | delete ID | redeliver [last|ID] | retry [last|ID] | pull --forward-to URL",
    example: "payments-sandbox webhook redeliver last --times 2",
    options: [
      ["--times <number>", "redeliver: how many times"],
      ["--forward-to <url>", "pull: where the app is"],
      ["--once", "pull: stop when there is nothing left"],
      ["--events <glob...>", "add: which events"],
      ["--force", "add: allow custom types"],
      ["--mode <mode>", "add: test or live"],
      ["--secret <secret>", "add: the signing secret"],
    ],
    verbs: {
      list: listAction("webhook-endpoints"),
      add: {
        call: async ({
          connection,
          flags: { events, mode, secret, force },
          positionalArguments: [, target],
        }) =>
          connection.post("/webhook-endpoints", {
            url: requireArgument(target, "the URL"),
            events,
            mode,
            secret,
            force,
          }),
        formatResult: recordFormatter("webhook_id", "url", "mode", "secret"),
      },
      delete: { call: createCallByName("delete", "/webhook-endpoints", "the endpoint's id") },
      redeliver: {
        call: async ({ connection, flags: { times = 1 }, positionalArguments: [, target] }) =>
          (await import("./deliveries.js")).requestRedelivery(connection, target, Number(times)),
        formatResult: tableFormatter({ columns: DELIVERY }),
      },
      retry: {
        call: async ({ connection, positionalArguments: [, target] }) =>
          (await import("./deliveries.js")).requestRetry(connection, target),
        formatResult: recordFormatter(...DELIVERY),
      },
      pull: {
        call: async ({ connection, flags: { forwardTo, once } }) => {
          const target = requireArgument(flagText(forwardTo), "--forward-to URL");
          const report = (line: string) => printText(`${line}\n`);
          await (await import("./deliveries.js")).pullDeliveries(connection, target, {
            once: once === true,
            report,
          });
          return undefined;
        },
      },
    },
  },
];
