import * as z from "zod/mini";
import * as c from "../../../../schema/control.js";
import { webhookOptionSchema } from "../../../../schema/options.js";
import { currency, method } from "../../../../schema/phrases.js";
import { customSignatureSchema, SIGNATURE_PRESETS, signatureSchema } from "../../../../schema/webhooks.js";
import { type Component, named, object } from "../../component.js";
import type { Json } from "../../json.js";

const REASON = "Why, for its history and the webhook.";
const ONE_TARGET: Json = { oneOf: [{ required: ["url"] }, { required: ["mailbox"] }] };
const ONE_ANSWER: Json = { oneOf: [{ required: ["status"] }, { required: ["error"] }] };
const SECRET = "What its events are signed with; without it the namespace's.";

/** The rates by themselves, or under the name they are answered with. */
export const ratesBodySchema = z.union([z.object({ rates: c.ratesRequestSchema }), c.ratesRequestSchema]);

/** What the control API is asked, from the schemas that check it. */
export function requestComponents(): Component[] {
  const endpoint = {
    url: "The receiver; a missing scheme means http. In a namespace `{namespace}` is filled in at the start only.",
    mailbox: "In place of a URL: deliveries are kept under this name until they are taken.",
    mode: "Whose events it hears; without it those of the key's mode, else of test mode.",
    events: { says: "Event types it wants, as globs; without it all.", examples: [["charge.*"]] },
    secret: SECRET,
    signature: "How its events are signed; without it as the server was told.",
    unreachable:
      "On a clock that runs, when nobody listens: `hold` keeps deliveries until somebody does, `fail` spends attempts.",
  };
  return [
    object("NamespaceRequest", c.namespaceRequestSchema, "A namespace to make; all of it may be left out.", {
      name: "What it is called; without it a name is made up.",
      seed: "The same seed gives the same ids and chances.",
      clock: { says: "How its clock goes: `real`, `manual`, or a speed.", examples: ["manual", "60x"] },
      start_time: "The instant it starts at; without it that of the server, or wall time.",
      api_key: "Its key of test mode; `sk_test_ns_NAME` without it. That of live mode follows from it.",
      webhook_secret: "What its webhooks are signed with.",
      webhooks: "Receivers it has from the start.",
    }),
    object(
      "WebhookOption",
      webhookOptionSchema,
      { says: "A receiver: a URL or a mailbox.", adds: ONE_TARGET },
      endpoint,
    ),
    object("ResetRequest", c.resetRequestSchema, "How to go back to the start.", {
      keep: "What stays; without it webhooks and keys.",
      ids: "`repeat` starts the ids over, byte for byte; without it they go on, so that no id comes twice.",
    }),
    object("SnapshotRequest", c.snapshotRequestSchema, "A state to keep.", {
      name: "What to call it; one of that name is written over.",
    }),
    object(
      "StateDump",
      c.stateDumpSchema,
      "A whole state, as it was exported. It changes between versions: send back what was answered.",
      {
        version: "The version of this format.",
        seq: "The last change it holds.",
        at: "Sandbox time, in milliseconds since 1970.",
        counters: "What the next ids are counted from.",
        collections: "Records by collection, each with its key.",
      },
    ),
    object(
      "ClockRequest",
      c.clockRequestSchema,
      { says: "How time shall go from now on: at least one of these.", adds: { minProperties: 1 } },
      {
        mode: {
          says: "`manual` stands, `real` goes with wall time, `60x` sixty times as fast.",
          examples: ["60x"],
        },
        speed:
          "How many times as fast as wall time; on its own it makes the clock run. Beside `manual` or `60x` it must say the same.",
        now: "Leap to this instant first, as an advance does. Not earlier than it is.",
      },
    ),
    object(
      "AdvanceRequest",
      c.advanceRequestSchema,
      { says: "How far: exactly one of these.", adds: { minProperties: 1, maxProperties: 1 } },
      {
        by: { says: "For so long.", examples: ["30m", "1h30m"] },
        to: "To this instant; not earlier than it is.",
        until: "To the `next` thing due, or until nothing is planned any more (`idle`).",
      },
    ),
    object("TransitionRequest", c.transitionRequestSchema, "Where a charge shall go.", {
      to: "The status.",
      reason: { says: REASON, examples: ["declined_by_operator"] },
    }),
    object("RefundRequest", c.refundRequestSchema, "A refund of all of it.", { reason: REASON }),
    object("ChargeAdvanceRequest", c.chargeAdvanceRequestSchema, "How far along its timeline.", {
      until: "Until it has this status.",
    }),
    object(
      "WithdrawalTransitionRequest",
      c.withdrawalTransitionRequestSchema,
      "Where a withdrawal shall go.",
      { to: "The status.", reason: REASON },
    ),
    object("PayRequest", c.payRequestSchema, "What the customer chooses on the hosted page.", {
      payment_method: method("One of the checkout's."),
      currency: currency(
        "To pay in; without it the quote's, for its method, or the checkout's own, or the first the method takes.",
      ),
      phone_number: { says: "Needed for mobile money.", examples: ["+254700000001"] },
      bank_account_number: "Needed for a bank transfer.",
    }),
    object("WaitRequest", c.waitRequestSchema, "What to wait for.", {
      for: "`idle` is when nothing is due and no delivery is under way.",
      match: {
        says: "Fields the record must have, at any depth; texts are globs.",
        examples: [{ customer_email: "ada@*", status: "COMPLETED" }],
      },
      count: "How many must match; 1 without it.",
      timeout: "Wall time to wait at most, up to 10m; 10s without it.",
    }),
    object("ScenarioRunRequest", c.runScenarioRequestSchema, "What a scenario's steps need.", {
      vars: { says: "Variables, in the place of the scenario's own.", examples: [{ email: "qa@shop.test" }] },
      app: "The base URL of the app under test, for `app` steps.",
    }),
    object("EventRequest", c.triggerRequestSchema, "An event that no status change caused.", {
      type: {
        says: "One of the types there are, by the sandbox's name or the one it is sent under; any other needs `force`.",
        examples: ["webhook.test", "charge.completed"],
      },
      charge_id:
        "The charge it is about: its record, as it stands, is the event's data. Without one it is about a sample of a charge, or withdrawal, that has just come to that status and is not kept.",
      data: "What the data says otherwise, field by field; objects are merged.",
      force: "Send what is given and nothing else: any type, and no sample's data.",
      mode: "Whose receivers hear of it: a charge's own mode, else the key's, else test.",
    }),
    object("RedeliverRequest", c.redeliverRequestSchema, "How often.", {
      times: "So many new deliveries; 1 without it.",
    }),
    object("RetryRequest", c.emptyRequestSchema, "Takes nothing.", {}),
    object("TakeRequest", c.takeRequestSchema, "How many.", { max: "At most so many; 100 without it." }),
    object(
      "AckRequest",
      c.ackRequestSchema,
      { says: "What the receiver answered, or why there is no answer.", adds: ONE_ANSWER },
      {
        status: "2xx has arrived; anything else is tried again.",
        body: "The answer's body, for the log.",
        error: "In place of a status: what kept the receiver from answering. It is tried again.",
      },
    ),
    object(
      "WebhookEndpointRequest",
      c.endpointRequestSchema,
      { says: "A receiver to register: a URL or a mailbox.", adds: ONE_TARGET },
      {
        ...endpoint,
        organization_id: "Whose events it hears; without it those of every organization.",
      },
    ),
    object("WebhookEndpointUpdate", c.endpointPatchSchema, "What should change; the rest stays.", {
      url: "Where it is; a mailbox has none.",
      events: endpoint.events,
      enabled: "Whether it is sent anything.",
      unreachable: endpoint.unreachable,
      signature: "How its events are signed; the secret must suit.",
    }),
    named("Signature", signatureSchema, {
      says: `How events are signed: ${SIGNATURE_PRESETS.map((name) => `\`${name}\``).join(", ")}, or a scheme of your own.`,
    }),
    object("CustomSignature", customSignatureSchema, "A signature scheme of your own.", {
      header: "Where the signature is sent.",
      algorithm: "The hash of the HMAC.",
      encoding: "How the signature is written.",
      prefix: { says: "Stands before it.", examples: ["sha256="] },
      payload: "What is signed; the body without it.",
      timestamp_header: "Where the timestamp is sent.",
    }),
    named("RatesRequest", ratesBodySchema, {
      says: "Units of a currency for one US dollar, by code; under `rates` or by themselves. The rest stays.",
      examples: [{ NGN: "1600" }],
    }),
  ];
}
