import * as r from "../../../../schema/control-responses.js";
import { chargeDetailSchema } from "../../../../schema/responses.js";
import { type Note, wordsOf } from "../../../../schema/words.js";
import { type Component, named, object } from "../../component.js";
import { pageOf } from "./world.js";

/** Charges with what only the sandbox knows of them, their stories, balances, and what was waited for. */
export function objectComponents(): Component[] {
  const charge = wordsOf(chargeDetailSchema)!.fields;
  const detail = charge as { readonly [Name in keyof typeof r.waitedChargeSchema.shape]: Note };
  return [
    object(
      "ControlCharge",
      r.controlChargeSchema,
      "A charge as the service shows it, and what is behind it.",
      {
        ...detail,
        mode: "Test or live.",
        kind: "Whether the shop's own page or the hosted one takes the payment.",
        sandbox: "What decides its fate.",
      },
    ),
    object("ControlChargeList", r.controlChargeListSchema, "A page of charges.", pageOf("Charges")),
    object("ChargeFate", r.chargeFateSchema, "Why a charge goes the way it goes.", {
      scenario: "The scenario whose rule matched; null when none has.",
      scenario_asked: "The scenario it asked for by name, if any.",
      timeline: "What was planned for it when it matched.",
      notes: "What no status shows: entries that came too late, names that matched nothing.",
    }),
    object("ChargeStory", r.chargeStorySchema, "All that happened to a charge.", {
      charge_id: "Which.",
      status: "Where it stands.",
      total: "How much has happened.",
      items: "What, in order.",
    }),
    named("Happening", r.happeningSchema, {
      says: "One thing that happened; `kind` says of which sort.",
      adds: { discriminator: HAPPENINGS },
    }),
    object("RequestHappening", r.requestHappeningSchema, "A call of the service.", {
      kind: "Always `request`.",
      ...REQUEST_FIELDS,
    }),
    object("TransitionHappening", r.transitionHappeningSchema, "A change of status.", {
      kind: "Always `transition`.",
      status: "What it became.",
      at: "When.",
      reason: "Why, where there is a reason.",
    }),
    object("LedgerHappening", r.ledgerHappeningSchema, "An entry of the ledger.", {
      kind: "Always `ledger`.",
      at: "When.",
      entry_id: "The entry.",
      posting: { says: "What for.", examples: ["payment", "settlement", "refund"] },
      currency: "The currency of its amounts.",
      postings: "What moved between the accounts: signed amounts whose sum is zero.",
    }),
    object("EventHappening", r.eventHappeningSchema, "An event was made.", {
      kind: "Always `event`.",
      at: "When.",
      event_id: "The event.",
      type: "What it says.",
    }),
    object("NoteHappening", r.noteHappeningSchema, "Something no status shows.", {
      kind: "Always `note`.",
      at: "When.",
      note: "What.",
    }),
    object("AttemptHappening", r.attemptHappeningSchema, "An attempt at telling a receiver.", {
      kind: "Always `attempt`.",
      delivery_id: "The delivery.",
      event_id: "The event.",
      type: "What it says.",
      webhook_id: "The receiver.",
      ...ATTEMPT_FIELDS,
    }),
    object("ControlBalance", r.controlBalanceSchema, "What an organization holds in a currency.", {
      organization_id: "Whose.",
      mode: "Test or live.",
      currency: "The currency.",
      available_balance: "What can be withdrawn or refunded.",
      pending_balance: "What has yet to settle.",
    }),
    object("ControlBalanceList", r.controlBalanceListSchema, "A page of accounts.", pageOf("Accounts")),
    object("WaitedCharge", r.waitedChargeSchema, "The charge that was waited for.", {
      ...detail,
      mode: "Test or live.",
    }),
    object("Idle", r.idleSchema, "Nothing is due and nothing under way.", {
      idle: "Always true.",
      now: "What time it is.",
    }),
    named("WaitResult", r.waitResultSchema, {
      says: "The newest record that matches: a charge, request or delivery; or that all is idle.",
    }),
  ];
}

const HAPPENINGS = {
  propertyName: "kind",
  mapping: Object.fromEntries(
    ["Request", "Transition", "Ledger", "Event", "Note", "Attempt"].map((name) => [
      name.toLowerCase(),
      `#/components/schemas/${name}Happening`,
    ]),
  ),
};

export const REQUEST_FIELDS = {
  request_id: "Counts up with each request; `since` takes it.",
  at: "When, in sandbox time.",
  method: "HTTP method.",
  path: "The path without its query.",
  query: "The query, by name.",
  operation: "The service's operation; null where there is none.",
  status: "What was answered; null when there was no answer: the connection was cut, or the client had gone.",
  client_gone: "Whether the client hung up before it was answered.",
  api_key: "The key that came along, masked.",
  idempotency_key: "The Idempotency-Key that came along.",
  runner: "The scenario run that sent it, when it was not the app.",
  scenario: "The scenario it asked for by header.",
  fault: "The scenario or fault that interfered.",
  request_body:
    "As JSON where it is JSON, as text otherwise. Of one above 64 kB the first 64 kB, as text with a mark behind it.",
  request_body_bytes: "How long it was, in bytes; null when there was none.",
  response_body: "The same of the answer.",
  response_body_bytes: "How long that was.",
};

export const ATTEMPT_FIELDS = {
  attempt: "The first is 1.",
  at: "Sandbox time.",
  sent_at: "Wall time, which the signature is made with.",
  duration_ms: "How long the receiver took.",
  request_headers: "Exactly what was sent.",
  status: "What the receiver answered; null when no answer came.",
  response_body: "The beginning of its answer.",
  error: "Why no answer came.",
};
