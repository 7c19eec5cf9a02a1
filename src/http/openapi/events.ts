import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../schema/common.js";
import { chargeEventType, TEST_EVENT_TYPE, withdrawalEventType } from "../../schema/event-types.js";
import { chargeExample, WITHDRAWAL } from "./examples.js";
import type { Facts } from "./facts.js";
import { TAGS } from "./operation-doc.js";
import { ref } from "./schemas.js";
import { signatureParameters, signaturePresets } from "./signature-headers.js";
import { ASSUMPTION, type Json } from "./types.js";

const ASSUMED =
  "That webhooks are sent is the interface's; names of events, their shape, the signature and the retries are assumed.";

/** What is said of all of them: above all how a receiver knows them, for that is the user's to choose. */
export function aboutEvents({ settings }: Facts): string {
  return `${TAGS.Events} ${signaturePresets(settings.signature)}`;
}

/** The webhooks section: a request this server makes to registered endpoints, for each type of event. */
export function webhooks({ settings }: Facts): Record<string, Json> {
  const all = [
    ...CHARGE_STATUSES.filter((status) => status !== "PENDING").map((status) =>
      webhook(chargeEventType(status), "ChargeEvent", `A charge is ${status}.`, chargeExample(status)),
    ),
    ...WITHDRAWAL_STATUSES.filter((status) => status !== "PENDING").map((status) =>
      webhook(withdrawalEventType(status), "WithdrawalEvent", `A withdrawal is ${status}.`, {
        ...WITHDRAWAL,
        status,
      }),
    ),
    webhook(TEST_EVENT_TYPE, "TestEvent", "Sent on demand, to try a receiver.", { hello: "receiver" }),
  ];
  return Object.fromEntries(all);

  function webhook(type: string, component: string, says: string, data: Json): [string, Json] {
    const name = settings.event_names[type] ?? type;
    const event = {
      id: "evt_bf97a3a164010d696c2bec1f",
      type: name,
      timestamp: "2026-01-31T09:00:05.000Z",
      mode: "test",
      data,
    };
    const post: Json = {
      operationId: operationId(type),
      tags: ["Events"],
      summary: name,
      description: `${says} Verify the signature over the exact bytes before trusting them; expect the same event more than once.`,
      [ASSUMPTION]: ASSUMED,
      security: [],
      parameters: signatureParameters(settings.signature),
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
            example: event,
          },
        },
      },
      responses: {
        "2XX": {
          description: "Received. Answer soon: a late answer counts as none. The body is not looked at.",
        },
        "410": { description: "Never again: the endpoint is turned off." },
        "4XX": {
          description:
            "Tried again later, as after a redirect, no answer and 5XX. A `Retry-After` with 429 is respected.",
        },
        "5XX": { description: "Tried again later. A `Retry-After` with 503 is respected." },
      },
    };
    return [name, { post }];
  }
}

/** `onChargeAwaitingPayment` for `charge.awaiting_payment`. */
function operationId(type: string): string {
  return `on${type.replace(/(^|[._])([a-z])/g, (_all, _mark, letter: string) => letter.toUpperCase())}`;
}
