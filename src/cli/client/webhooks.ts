import { once } from "node:events";
import { ReceiverClient } from "../../core/delivery/receiver-client.js";
import { attemptsOf, holdText, type ListedDelivery } from "../../core/reports/delivery-text.js";
import { LIST_COLUMNS } from "../../core/reports/list-columns.js";
import type { MailboxItem } from "../../core/schema/control-log-responses.js";
import { normalizeWebhookUrl, WEBHOOK_URL_MESSAGE } from "../../core/schema/receiver-url.js";
import { UserError } from "../../core/schema/user-error.js";
import { pause } from "../../core/time/timers.js";
import { generateInstanceId, systemWallClock } from "../../core/time/wall-clock.js";
import { abortOnEndSignal } from "../process-handlers.js";
import { printText } from "../terminal.js";
import {
  type ClientCommand,
  type CommandInput,
  flagText,
  parseAssignments,
  requireArgument,
  runs,
} from "./client-command.js";
import type { Connection, JsonBody } from "./connection.js";
import {
  listAction,
  missingEndpointText,
  readDeliveries,
  readTried,
  recordFormatter,
  sentWebhook,
  tableFormatter,
} from "./output.js";

const isReceiver = ({ words: { target } }: CommandInput) => target?.startsWith("we_") === true;

const RETRY_DELIVERY = runs("retryDelivery", {
  input: async (asked) => {
    const { delivery_id } = await resolveDelivery(asked);
    const { hold } = (await asked.connection.run("getDelivery", { delivery_id })) as JsonBody &
      ListedDelivery;
    if (hold !== null) throw new UserError(`delivery ${delivery_id} is held: ${holdText(hold)}`);
    return { delivery_id };
  },
  formatResult: async ({ delivery_id, attempts }, { connection }) => {
    const delivery = await connection.run("getDelivery", { delivery_id });
    const made = attemptsOf(delivery).slice((attempts as unknown[]).length);
    const webhook = sentWebhook({ ...(delivery as JsonBody & ListedDelivery), attempts: made });
    return recordFormatter("delivery_id", "event_id", "webhook")({ ...delivery, webhook });
  },
});

/** The next attempt of all that a receiver has not accepted, now. */
const RETRY_RECEIVER = runs("retryReceiver", {
  input: async ({ connection, words: { target } }) => {
    const { webhook_id } = await connection.resolveRecord("webhook", target!);
    return { webhook_id };
  },
  formatResult: async ({ items }, { connection }) => {
    const ids = (items as ListedDelivery[]).map(({ delivery_id }) => delivery_id);
    const read = (delivery_id: string) => connection.run("getDelivery", { delivery_id });
    const made = (await Promise.all(ids.slice(0, RETRIES_SHOWN).map(read))) as (JsonBody & ListedDelivery)[];
    const rows = made.map((one) => ({ ...one, webhook: sentWebhook(one) }));
    return tableFormatter({ columns: ["delivery_id", "webhook"] })({ total: ids.length, items: rows });
  },
});

/** Maximum number of retried deliveries that are shown. */
const RETRIES_SHOWN = 20;

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
    defaultAction: runs("createEvent", {
      takes: ["type", "mode", "force"],
      input: async ({ connection, flags: { charge, set } }) => {
        const about = charge === undefined ? undefined : await connection.resolveCharge(String(charge));
        const data = parseAssignments(set);
        return { charge_id: about?.charge_id, data: Object.keys(data).length === 0 ? undefined : data };
      },
      formatResult: async (event, { connection }) => {
        const sent = await readWebhooks(connection, event, 100);
        const none = `none: no ${event.mode}-mode endpoint takes ${event.type}; add one with: ${connection.commandFor("webhook add URL")}`;
        const webhooks = sent.length === 0 ? none : sent.map(({ webhook }) => webhook);
        const { charge_id, withdrawal_id } = Object(event.data) as JsonBody;
        const id = charge_id ?? withdrawal_id;
        const about = id !== undefined && event.charge_id === undefined ? `${id} (a sample, not stored)` : id;
        const shown = { ...event, about, webhooks };
        return recordFormatter("event_id", "type", "about", "at", "webhooks")(shown, { connection });
      },
    }),
  },
  {
    usage: "webhook <verb> [target]",
    summary:
      "list | add URL | delete ID | redeliver [last|ID] (as a new delivery) | retry [last|ID] (its next attempt, now; the ID of a receiver: of all it has not accepted) | pull --forward-to URL",
    example: "payments-sandbox webhook redeliver last --times 2",
    options: [
      ["--times <number>", "how many times", "redeliver"],
      ["--forward-to <url>", "where the app is", "pull"],
      ["--once", "stop when there is nothing left", "pull"],
      ["--events <glob...>", "which events", "add"],
      ["--force", "allow custom types", "add"],
      ["--mode <mode>", "test or live", "add"],
      ["--secret <secret>", "the signing secret", "add"],
    ],
    verbs: {
      list: {
        ...listAction("listWebhookEndpoints"),
        formatResult: (answer, asked) =>
          answer.total === 0
            ? `${missingEndpointText(asked.connection)}\n`
            : tableFormatter(LIST_COLUMNS["webhook-endpoints"])(answer, asked),
      },
      add: runs("createWebhookEndpoint", {
        needs: "the URL",
        takes: ["events", "force", "mode", "secret"],
        input: ({ words }) => ({ url: words.target }),
        formatResult: recordFormatter("webhook_id", "url", "mode", "secret"),
      }),
      delete: runs("deleteWebhookEndpoint", {
        needs: "the endpoint's id",
        input: async ({ connection, words }) => {
          const { webhook_id } = await connection.resolveRecord("webhook", words.target!);
          return { webhook_id };
        },
      }),
      redeliver: runs("redeliver", {
        input: async (asked) => ({
          ...(await resolveDelivery(asked)),
          times: numberOrText(asked.flags.times),
        }),
        formatResult: async ({ items }, { connection }) => {
          const [first, ...others] = items as JsonBody[];
          const made = await readWebhooks(connection, first!, 1 + others.length);
          return tableFormatter({ columns: ["delivery_id", "webhook"] })({ items: made });
        },
      }),
      retry: {
        call: (asked) => (isReceiver(asked) ? RETRY_RECEIVER : RETRY_DELIVERY).call(asked),
        formatResult: (answer, asked) =>
          (isReceiver(asked) ? RETRY_RECEIVER : RETRY_DELIVERY).formatResult!(answer, asked),
      },
      pull: {
        call: async ({ connection, flags: { forwardTo, once } }) => {
          const target = requireArgument(flagText(forwardTo), "--forward-to URL");
          await pullDeliveries(connection, target, once === true);
          return undefined;
        },
      },
    },
  },
];

/** The sandbox explains a text that is no number. */
function numberOrText(value: CommandInput["flags"][string]) {
  const isNumber = typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
  return isNumber ? Number(value) : value;
}

/** Reads the newest deliveries of an event after their first attempts. */
async function readWebhooks(
  connection: Connection,
  { event_id }: JsonBody,
  limit: number,
): Promise<JsonBody[]> {
  const items = await readTried(connection, () => readDeliveries(connection, {}, { event_id, limit }));
  return items.map((delivery) => ({ ...delivery, webhook: sentWebhook(delivery) }));
}

/** Finds the delivery that the last word names. The id of an event selects its newest delivery. */
async function resolveDelivery({ connection, words: { target = "last" } }: CommandInput) {
  if (!target.startsWith("evt_")) {
    const { delivery_id } = await connection.resolveRecord("delivery", target);
    return { delivery_id };
  }
  const found = await connection.findNewest("listDeliveries", { event_id: target });
  if (found === undefined) throw new UserError(`there is no delivery of event ${target}`);
  return { delivery_id: found.delivery_id };
}

const MAILBOX = "pull";
/** Lifetime of the mailbox after `webhook pull` was killed. */
const LEASE = "30s";
const POLL_MS = 200;
/** Part of a delivery's timeout that is reserved for reporting that the app did not respond. */
const REPORT_TIME_MS = 500;
const ERROR_LENGTH = 500;

/**
 * `webhook pull --forward-to URL`: takes deliveries from a mailbox and sends them to an app that the sandbox cannot
 * reach. The app's response is the response of the delivery. An interrupt deletes the mailbox. If the process is
 * killed, the mailbox expires. With `--once`, the mailbox stays for the next pull.
 */
async function pullDeliveries(connection: Connection, target: string, isOnce: boolean): Promise<void> {
  const url = normalizeWebhookUrl(target);
  if (url === undefined) throw new UserError(`--forward-to ${JSON.stringify(target)} ${WEBHOOK_URL_MESSAGE}`);
  const isLeft = isOnce || (await hasAbandonedMailbox(connection));
  const own = { mailbox: isLeft ? MAILBOX : `${MAILBOX}-${generateInstanceId()}` };
  const { webhook_id } = await connection.run(
    "createWebhookEndpoint",
    isOnce ? own : { ...own, lease: LEASE },
  );
  const pulling = forwardAll(connection, { ...own, url }, isOnce);
  if (isOnce) return pulling;
  const stop = abortOnEndSignal();
  await Promise.race([pulling, once(stop.signal, "abort")]);
  // Requests still under way fail once the mailbox is deleted.
  pulling.catch(() => {});
  await connection.sendOperation("deleteWebhookEndpoint", { webhook_id });
  process.exit(stop.code ?? 0);
}

/** Returns true if an earlier pull with `--once` left its mailbox. Only such a mailbox has no lease. */
async function hasAbandonedMailbox(connection: Connection): Promise<boolean> {
  const { items } = await connection.run("listWebhookEndpoints", { limit: 100 });
  return (items as JsonBody[]).some(({ mailbox, lease_ms }) => mailbox === MAILBOX && lease_ms === null);
}

/** Forwards deliveries until the process is interrupted; with `isOnce`, until none is left. */
async function forwardAll(
  connection: Connection,
  { mailbox, url }: { readonly mailbox: string; readonly url: string },
  isOnce: boolean,
): Promise<void> {
  for (;;) {
    // Takes one delivery at a time, so an interrupt leaves at most one to deliver again.
    const { items } = await connection.run("takeFromMailbox", { name: mailbox, max: 1 });
    for (const one of items as MailboxItem[]) {
      const { status, response_body, error } = await forward(url, one);
      const { ok } = await connection.sendOperation("acknowledgeDelivery", {
        name: mailbox,
        delivery_id: one.delivery_id,
        ...(status === null ? { error: error?.slice(0, ERROR_LENGTH) } : { status, body: response_body }),
      });
      printText(`${one.type} ${one.delivery_id} ${status ?? error}${ok ? "" : " (no longer waited for)"}\n`);
    }
    if ((items as MailboxItem[]).length > 0) continue;
    if (isOnce) return;
    await pause(POLL_MS);
  }
}

/** Sends a delivery as the sandbox does: same timeout, no redirects. */
async function forward(url: string, { ack_within_ms, headers, body }: MailboxItem) {
  const timeoutMs = ack_within_ms - Math.min(REPORT_TIME_MS, ack_within_ms / 10);
  const client = new ReceiverClient({ timeoutMs, wall: systemWallClock });
  try {
    const sentAt = new Date(systemWallClock.nowMs()).toISOString();
    return await client.post(url, { sentAt, headers, body }, new AbortController().signal);
  } finally {
    client.close();
  }
}
