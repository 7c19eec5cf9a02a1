import { EVENT_TYPES, toldBy } from "../../core/schema/event-types.js";
import { ASSUMPTION, type Json } from "./document.js";
import { ref } from "./schemas.js";

const ASSUMED =
  "That webhooks are sent is the interface's; names of events, their shape, the signature and the retries are assumed.";

/** The webhooks section: a request this server makes to registered endpoints, for each type of event. */
export function webhooks(examples: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [`{{event ${type}}}`, { post: webhook(type, examples[type]) }]),
  );
}

function webhook(type: string, example: Json | undefined): Json {
  const name = `{{event ${type}}}`;
  const { component, says } = eventOf(type);
  return {
    operationId: operationId(type),
    tags: ["Events"],
    summary: name,
    description: `${says} Verify the signature over the raw bytes before you trust them; expect the same event more than once.`,
    [ASSUMPTION]: ASSUMED,
    security: [],
    parameters: "{{signature headers}}",
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [
              ref(component),
              { type: "object", properties: { type: { type: "string", const: name } }, required: ["type"] },
            ],
          },
          ...(example === undefined ? {} : { example: { ...example, type: name } }),
        },
      },
    },
    responses: {
      "2XX": {
        description: "Received. Respond quickly: a late response counts as none. The body is ignored.",
      },
      "410": { description: "Not retried: the endpoint is disabled." },
      "4XX": {
        description:
          "Retried later, as after a redirect, a timeout or 5XX. A `Retry-After` with 429 is respected.",
      },
      "5XX": { description: "Retried later. A `Retry-After` with 503 is respected." },
    },
  };
}

function eventOf(type: string): { readonly component: string; readonly says: string } {
  const told = toldBy(type);
  if (told === undefined) return { component: "TestEvent", says: "Sent on demand, to try a receiver." };
  return told.object === "charge"
    ? { component: "ChargeEvent", says: `A charge is ${told.status}.` }
    : { component: "WithdrawalEvent", says: `A withdrawal is ${told.status}.` };
}

/** `onChargeAwaitingPayment` for `charge.awaiting_payment`. */
function operationId(type: string): string {
  return `on${type.replace(/(^|[._])([a-z])/g, (_all, _mark, letter: string) => letter.toUpperCase())}`;
}
