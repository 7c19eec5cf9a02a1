import type { Attention } from "../../../core/schema/control-insight-responses.js";
import { attentionOf } from "../../../server/control/attention.js";
import { groupDigits } from "../../format.js";
import { html, type Markup } from "../../html.js";
import * as ui from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";

const memo = new WeakMap<PageContext, readonly Attention[]>();

/** Faults, worst first. Memoized per page, because the menu counts it too. */
export function attentionItems(context: PageContext): readonly Attention[] {
  let items = memo.get(context);
  if (items === undefined) memo.set(context, (items = attentionOf(context.namespace, context.mode)));
  return items;
}

const WORDS: Readonly<Record<Attention["kind"], readonly [word: string, tone: ui.Tone]>> = {
  receiver_failing: ["failing", "bad"],
  call_refused: ["refused", "bad"],
  receiver_held: ["held", "warn"],
  payment_stuck: ["stuck", "warn"],
};

/** Faults, as rows that lead to what they count. */
export function attentionRows(context: PageContext): Markup[] {
  return attentionItems(context).map((item) => {
    const { kind, object, count, since: at, sentence, mend } = item;
    const [word, tone] = WORDS[kind];
    const [title = sentence, error] = sentence.split(/: (.*)/s);
    const isRetried = mend.operation === "retryReceiver";
    const label = count === 1 ? "Retry" : "Retry all";
    const retry = ui.button({ does: ["retryAll", { webhook_id: object }], label, to: sentence });
    return ui.listRow(context, {
      key: `${kind}-${object}`,
      at,
      tone,
      status: ui.badge(`${groupDigits(String(count))} ${word}`, tone),
      title,
      to: objectUrlOf(context, item),
      // A call's page says how to change it.
      subtitle: ui.joinWithDots([
        ui.reasonMarkup(error?.replace(/^[A-Z_]+: /, "")),
        kind !== "call_refused" && mend.sentence,
      ]),
      rowButtons: html`${isRetried && retry}${mend.command !== null && ui.copyButton("Copy command", mend.command)}`,
    });
  });
}

function objectUrlOf(context: PageContext, { kind, object, count }: Attention): string {
  if (kind === "call_refused") return viewUrl(context, "requests", object);
  if (kind === "payment_stuck")
    return viewUrl(context, object.startsWith("wd_") ? "money" : "charges", count === 1 ? object : undefined);
  const status = kind === "receiver_held" ? "held" : "not accepted";
  return `${viewUrl(context, "webhooks", undefined, { receiver: object, status })}#deliveries`;
}
