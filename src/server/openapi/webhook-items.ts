import { EVENT_TYPES, subjectOfEvent } from "../../core/schema/event-types.js";
import { ASSUMPTION_KEY, type OpenApiJson } from "./document.js";
import { ref } from "./schemas.js";

const ASSUMED =
  "That webhooks are sent is the interface's; names of events, their shape, the signature and the retries are assumed.";

/** The document's `webhooks`: one request to registered endpoints per event type. */
export function webhookItems(examples: Readonly<Record<string, OpenApiJson>>): Record<string, OpenApiJson> {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [`{{event ${type}}}`, { post: webhook(type, examples[type]) }]),
  );
}

function webhook(type: string, example: OpenApiJson | undefined): OpenApiJson {
  const name = `{{event ${type}}}`;
  const { component, description } = eventComponent(type);
  return {
    operationId: operationId(type),
    tags: ["Events"],
    summary: name,
    description: `${description} Verify the signature over the raw bytes before you trust them; expect the same event more than once.`,
    [ASSUMPTION_KEY]: ASSUMED,
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

function eventComponent(type: string): { readonly component: string; readonly description: string } {
  const change = subjectOfEvent(type);
  if (change === undefined)
    return { component: "TestEvent", description: "Sent on demand, to try a receiver." };
  return change.object === "charge"
    ? { component: "ChargeEvent", description: `A charge is ${change.status}.` }
    : { component: "WithdrawalEvent", description: `A withdrawal is ${change.status}.` };
}

/** `onChargeAwaitingPayment` for `charge.awaiting_payment`. */
function operationId(type: string): string {
  return `on${type.replace(/(^|[._])([a-z])/g, (_all, _mark, letter: string) => letter.toUpperCase())}`;
}
