import { retryDelivery } from "../../../../engine/commands/deliveries.js";
import { redeliver, resend } from "../../../../engine/commands/events.js";
import { registerEndpoint, updateEndpoint } from "../../../../engine/commands/webhooks.js";
import { SIGNED } from "../../../../engine/events.js";
import { isFailing } from "../../../../engine/failing.js";
import { invalid, isRefusal, type Refusal } from "../../../../schema/errors.js";
import { check, issueDetails } from "../../../../schema/issues.js";
import { webhookUrl, webhookUrlSchema } from "../../../../schema/options.js";
import { homeOf } from "../scene.js";
import { type Actions, say } from "./action.js";
import { outcomeOf, outcomesOf } from "./outcome.js";

/** How many deliveries one press tries again. */
const MOST_RETRIED = 1_000;

/** What the buttons of receivers and deliveries do. */
export const WEBHOOK_ACTIONS: Actions = {
  redeliver: async ({ namespace, words: [id = ""] }) => {
    const made = namespace.execute(redeliver(id, 1));
    if (isRefusal(made)) return made;
    return { text: await outcomeOf(namespace, made[0]!.delivery_id) };
  },
  retry: async ({ namespace, words: [id = ""] }) => {
    const planned = namespace.execute(retryDelivery(id));
    return isRefusal(planned) ? planned : { text: await outcomeOf(namespace, id) };
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
    const data = objectIn(form.get("data"));
    if (typeof data === "string") return invalid({ data });
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
  receiver: ({ namespace, form }) => {
    const url = addressIn(form);
    if (isRefusal(url)) return url;
    const events = eventsIn(form);
    const made = namespace.execute(
      registerEndpoint({
        url,
        mailbox: null,
        mode: form.get("mode") === "live" ? "live" : "test",
        organizationId: null,
        events,
        secret: namespace.info.webhookSecret,
      }),
    );
    return { text: `${made.url} hears ${events.join(", ")} from now on` };
  },
  aim: ({ namespace, words: [id = ""], form }) => {
    const url = addressIn(form);
    if (isRefusal(url)) return url;
    const events = form.has("events") ? { events: eventsIn(form) } : {};
    return say(
      namespace.execute(updateEndpoint(undefined, id, { url, ...events })),
      (endpoint) => `The receiver is at ${url} from now on and hears ${endpoint.events.join(", ")}`,
    );
  },
  enable: ({ namespace, words: [id = "", on] }) =>
    say(
      namespace.execute(updateEndpoint(undefined, id, { enabled: on === "on" })),
      () => `The receiver is ${on === "on" ? "on" : "off"}`,
    ),
};

function eventsIn(form: URLSearchParams): string[] {
  const events = (form.get("events") ?? "").split(/[\s,]+/).filter((one) => one !== "");
  return events.length === 0 ? ["*"] : events;
}

/** As the control API takes it, and refuses it. */
function addressIn(form: URLSearchParams): string | Refusal {
  const checked = check(webhookUrlSchema, form.get("url") ?? "");
  if (!checked.ok) return invalid({ url: issueDetails(checked.issues).body ?? "must be a URL" });
  return webhookUrl(checked.data) ?? invalid({ url: "must be a URL such as http://localhost:3000/webhooks" });
}

/** The object, or what is wrong with the text. */
function objectIn(text: string | null): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : "must be a JSON object";
  } catch (error) {
    return `must be a JSON object (${(error as Error).message})`;
  }
}
