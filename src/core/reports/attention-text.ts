// Words for what is wrong with receivers, calls and payments. The control API answers with them.
import type { Attention } from "../schema/control-insight-responses.js";
import { formatCount } from "../schema/text-format.js";
import { type Attempt, failureText, receiverName } from "./delivery-text.js";
import { holdSentence, mendText } from "./payment-text.js";
import { requestTrouble } from "./request-text.js";

type Words = Pick<Attention, "sentence" | "mend">;
type CommandFor = (words: string) => string;

interface Receiver {
  readonly webhook_id: string;
  readonly url: string | null;
  readonly mailbox: string | null;
}

/** A receiver that has not accepted webhooks; `attempt` is the last of the newest. */
export function failingReceiver(
  receiver: Receiver,
  {
    total,
    givenUp,
    attempt,
  }: { readonly total: number; readonly givenUp: number; readonly attempt: Attempt },
  commandFor: CommandFor,
): Words {
  const left = givenUp === 0 ? "" : givenUp === total ? ", given up" : `, ${givenUp} given up`;
  return {
    sentence: `${formatCount(total, "webhook")} not accepted by ${receiverName(receiver)}${left}: ${failureText(attempt)}`,
    mend: {
      sentence: `${mendText({ url: receiver.url, attempt })}, then retry.`,
      command: commandFor(`webhook retry ${receiver.webhook_id}`),
      operation: "retryReceiver",
    },
  };
}

export function heldReceiver(
  receiver: Receiver,
  holds: readonly { readonly reason: string }[],
  commandFor: CommandFor,
): Words {
  const held = holds.map(({ reason }) => ({ url: receiver.url, holdReason: reason }));
  return {
    sentence: `${formatCount(holds.length, "webhook")} held for ${receiverName(receiver)}: ${holds[0]!.reason}`,
    mend: { sentence: holdSentence(held), command: commandFor("deliveries"), operation: null },
  };
}

/** Calls that were refused alike, or had no response; `request` is the newest, as the control API shows it. */
export function refusedCalls(
  request: Readonly<Record<string, unknown>>,
  count: number,
  commandFor: CommandFor,
): Words {
  const { method, path, operation, status } = request;
  const times = count === 1 ? "" : ` ${count} times`;
  const isKeyRefused = status === 401;
  const found = typeof status === "number" ? `--status ${status}` : "--limit 20";
  const which = typeof operation === "string" ? ` --operation ${operation}` : "";
  return {
    sentence: `${method} ${path} ${status ?? "without a response"}${times}: ${requestTrouble(request, 1)}`,
    mend: {
      sentence: isKeyRefused
        ? "Give the app this namespace's API key."
        : status === null
          ? "Let the app wait for the response."
          : "Change the call as its error says.",
      command: commandFor(isKeyRefused ? "env" : `requests ${found}${which}`),
      operation: null,
    },
  };
}

/** Payments that have not ended and for which nothing is scheduled. */
export function stuckPayments(
  {
    noun,
    id,
    scenario,
    verb,
  }: { noun: string; id: string; scenario: string | null; verb: string | undefined },
  count: number,
  commandFor: CommandFor,
): Words {
  const which = scenario === null ? "no scenario has a rule" : `scenario ${scenario} plans nothing more`;
  return {
    sentence: `${formatCount(count, noun)} not finished, and nothing is scheduled: ${which}`,
    mend: {
      sentence: `Move ${count === 1 ? "it" : "them"} by hand.`,
      command: verb === undefined ? null : commandFor(`${noun} ${id} ${verb}`),
      operation: null,
    },
  };
}
