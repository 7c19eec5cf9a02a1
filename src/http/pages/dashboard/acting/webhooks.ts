import { retryDelivery } from "../../../../engine/commands/deliveries.js";
import { resend } from "../../../../engine/commands/events.js";
import { SIGNED } from "../../../../engine/events.js";
import { isFailing } from "../../../../engine/failing.js";
import { invalid, isRefusal, type Refusal } from "../../../../schema/errors.js";
import { check, issueDetails } from "../../../../schema/issues.js";
import { webhookUrl, webhookUrlSchema } from "../../../../schema/options.js";
import { MAX_BODY_BYTES, parseObject, tooLarge } from "../../../body.js";
import { homeOf } from "../scene.js";
import type { Actions } from "./action.js";
import { callControl } from "./calls.js";
import { outcomeOf, outcomesOf } from "./outcome.js";

/** How many deliveries one press tries again. */
const MOST_RETRIED = 1_000;

/** The buttons of deliveries. */
export const WEBHOOK_ACTIONS: Actions = {
  redeliver: async (doing) => {
    const made = await callControl<{ items: { delivery_id: string }[] }>(
      doing,
      "POST",
      `/deliveries/${encodeURIComponent(doing.words[0] ?? "")}/redeliver`,
      {},
    );
    if (isRefusal(made)) return made;
    return { text: await outcomeOf(doing.namespace, made.items[0]!.delivery_id) };
  },
  retry: async (doing) => {
    const id = doing.words[0] ?? "";
    const planned = await callControl(doing, "POST", `/deliveries/${encodeURIComponent(id)}/retry`, {});
    return isRefusal(planned) ? planned : { text: await outcomeOf(doing.namespace, id) };
  },
  "retry-all": ({ namespace, words: [webhookId] }) => {
    const { items } = namespace.engine.state.found(
      "deliveries",
      (one) => one.webhook_id === webhookId && isFailing(one),
      0,
      MOST_RETRIED,
    );
    const tried = items.filter(
      ({ delivery_id }) => !isRefusal(namespace.execute(retryDelivery(delivery_id))),
    );
    return { text: `${tried.length} ${tried.length === 1 ? "delivery" : "deliveries"} tried again` };
  },
  resend: async ({ namespace, words: [id = ""], form }) => {
    const text = form.get("data") ?? "";
    if (Buffer.byteLength(text) > MAX_BODY_BYTES) return tooLarge();
    const parsed = parseObject({ text });
    if (isRefusal(parsed)) return invalid({ data: parsed.details?.body ?? parsed.message });
    const data = parsed.object;
    const times = Number(form.get("times") ?? 1);
    if (!Number.isInteger(times) || times < 1 || times > 100) return invalid({ times: "must be 1 to 100" });
    const signed = SIGNED.find((one) => one === (form.get("sign") ?? "right"));
    if (signed === undefined) return invalid({ sign: `must be one of: ${SIGNED.join(", ")}` });
    const toUrl = (form.get("url") ?? "").trim() === "" ? undefined : addressIn(form);
    if (isRefusal(toUrl)) return toUrl;
    const made = namespace.execute(resend(id, { data, times, signed, toUrl }));
    if (isRefusal(made)) return made;
    const ids = made.map(({ delivery_id }) => delivery_id);
    return {
      text: await outcomesOf(namespace, ids),
      to: `${homeOf(namespace.name)}/webhooks/${ids.at(-1)}`,
    };
  },
};

/** As the control API takes it, and refuses it. */
function addressIn(form: URLSearchParams): string | Refusal {
  const checked = check(webhookUrlSchema, form.get("url") ?? "");
  if (!checked.ok) return invalid({ url: issueDetails(checked.issues).body ?? "must be a URL" });
  return webhookUrl(checked.data) ?? invalid({ url: "must be a URL such as http://localhost:3000/webhooks" });
}
