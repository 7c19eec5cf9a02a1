import * as z from "zod/mini";
import { digestOf, idOf, numberedDigest, providerReferenceOf } from "../../core/engine/ids.js";
import type { ChargeStatus, Mode, WithdrawalStatus } from "../../core/schema/common.js";
import { chargeEventType, parseEventType } from "../../core/schema/event-types.js";
import { chargeDetailSchema } from "../../core/schema/responses/charge-responses.js";
import { withdrawalSchema } from "../../core/schema/responses/payout-responses.js";
import { CHARGE_STATUS_TABLE } from "../../core/schema/statuses.js";
import { iso } from "../../core/schema/time.js";

type Charge = z.infer<typeof chargeDetailSchema>;
type Withdrawal = z.infer<typeof withdrawalSchema>;

export interface SampleEvent {
  readonly id: string;
  readonly body: string;
}

const MINUTE_MS = 60_000;

export const NULLABLE_CHARGE_FIELDS = nullableFieldsOf(chargeDetailSchema);

function nullableFieldsOf({ shape }: z.ZodMiniObject): string[] {
  return Object.keys(shape).filter((field) => z.safeParse(shape[field]!, null).success);
}

/** Makes charges and events with ids that are new in each run, because a receiver may remember ids of earlier runs. */
export class SampleFactory {
  readonly #scope: string;
  readonly #nowMs: () => number;
  #counter = 0;

  constructor(seed: string, nowMs: () => number) {
    this.#scope = `check-webhook ${seed}`;
    this.#nowMs = nowMs;
  }

  charge(changes: Partial<Charge> = {}, createdMs = this.#nowMs() - MINUTE_MS): Charge {
    const digest = numberedDigest(this.#scope, "charge", ++this.#counter);
    const reference = providerReferenceOf(digestOf(digest));
    return {
      charge_id: idOf("charge", digest),
      checkout_id: idOf("checkout", numberedDigest(this.#scope, "checkout", this.#counter)),
      organization_id: "org_sandbox",
      amount: "1132.73",
      currency: "KES",
      status: "AWAITING_PAYMENT",
      payment_provider: null,
      provider_reference: reference,
      created_at: iso(createdMs),
      updated_at: iso(createdMs),
      payment_method: "mobile_money",
      payment_rail: "nairobi_money",
      customer_email: "ada@example.com",
      customer_name: "Ada Obi",
      metadata: { order_id: `check-${this.#counter}` },
      fees: { total_fee: "27.63", fee_breakdown: { platform_fee: "11.05", gateway_fee: "16.58" } },
      exchange_rate: "1",
      settlement_amount: "1105.10",
      settled_at: null,
      failure_reason: null,
      payment_instructions: {
        type: "mobile_money",
        provider: "Nairobi Money Sandbox",
        phone_number: "+254700000042",
        reference,
        instructions: "Nothing is to be paid: this event only checks a webhook receiver.",
      },
      expires_at: iso(createdMs + 60 * MINUTE_MS),
      status_history: [
        { status: "PENDING", at: iso(createdMs) },
        { status: "AWAITING_PAYMENT", at: iso(createdMs) },
      ],
      ...changes,
    };
  }

  /** The states of a new charge up to a status. Omits PENDING, which emits no event. */
  lifeUntil(to: ChargeStatus): Charge[] {
    const { sample } = CHARGE_STATUS_TABLE[to];
    if (sample === null || sample.from === "PENDING") return [this.charge()];
    const before = this.lifeUntil(sample.from);
    const at = iso(this.#nowMs());
    const last = before.at(-1)!;
    const charge = {
      ...last,
      status: to,
      updated_at: at,
      settled_at: to === "COMPLETED" ? at : last.settled_at,
      failure_reason: to === "FAILED" ? (sample.reason ?? null) : null,
      status_history: [...last.status_history, { status: to, at }],
    };
    return [...before, charge];
  }

  event(charge: Charge, type = chargeEventType(charge.status)): SampleEvent {
    return this.eventOf(type, charge);
  }

  eventOf(
    type: string,
    data: unknown,
    { atMs = this.#nowMs(), mode = "test" }: { readonly atMs?: number; readonly mode?: Mode } = {},
  ): SampleEvent {
    const id = idOf("event", numberedDigest(this.#scope, "event", ++this.#counter));
    return { id, body: JSON.stringify({ id, type, timestamp: iso(atMs), mode, data }) };
  }

  /** A new event of a known type, about a charge or withdrawal that just reached its status. */
  eventOfType(type: string): SampleEvent {
    return this.eventOf(type, this.#dataOfType(type));
  }

  /** Makes an event for each nullable field, with null there; by the event's type and the field. */
  eventsWithNull(): [name: string, make: () => SampleEvent][] {
    const fields = { charge: NULLABLE_CHARGE_FIELDS, withdrawal: nullableFieldsOf(withdrawalSchema) };
    return Object.entries(fields).flatMap(([object, names]) =>
      names.map((field): [string, () => SampleEvent] => {
        const types = [`${object}.completed`, `${object}.failed`];
        const type = types.find((candidate) => this.#dataOfType(candidate)[field] !== null) ?? types[0]!;
        return [
          `${type} with ${field} null`,
          () => this.eventOf(type, { ...this.#dataOfType(type), [field]: null }),
        ];
      }),
    );
  }

  #dataOfType(type: string): Readonly<Record<string, unknown>> {
    const subject = parseEventType(type);
    if (subject === undefined) return { hello: "receiver" };
    return subject.object === "charge"
      ? this.lifeUntil(subject.status).at(-1)!
      : this.#withdrawal(subject.status);
  }

  oldEvent(ageMs: number): SampleEvent {
    const atMs = this.#nowMs() - ageMs;
    return this.eventOf("charge.awaiting_payment", this.charge({}, atMs - MINUTE_MS), { atMs });
  }

  /** An event with unknown fields, which the service may add later. */
  eventWithUnknownFields(): SampleEvent {
    const data = { ...this.charge(), risk: { score: 12, signals: ["new_device"] }, installments: null };
    const { id, body } = this.eventOf("charge.awaiting_payment", data);
    return { id, body: JSON.stringify({ ...JSON.parse(body), api_version: "2099-01-01" }) };
  }

  /** An event in ASCII, with unusual spaces and escapes in its JSON. */
  eventWithUnusualSpelling(): SampleEvent {
    const { id, body } = this.event(this.charge({ customer_name: "Zoe" }));
    const name = '"customer_name" : "Zo\\u00eb \\/ Co"';
    return { id, body: body.replace('"customer_name":"Zoe"', name).replace('{"id":', '{ "id": ') };
  }

  #withdrawal(status: WithdrawalStatus): Withdrawal {
    const digest = numberedDigest(this.#scope, "withdrawal", ++this.#counter);
    const createdMs = this.#nowMs() - MINUTE_MS;
    return {
      withdrawal_id: idOf("withdrawal", digest),
      destination_id: idOf("destination", numberedDigest(this.#scope, "destination", this.#counter)),
      organization_id: "org_sandbox",
      amount: "1105.10",
      fee: "11.05",
      currency: "KES",
      status,
      failure_reason: status === "FAILED" ? "rejected_by_bank" : null,
      reference: `check-${this.#counter}`,
      metadata: {},
      created_at: iso(createdMs),
      updated_at: iso(this.#nowMs()),
    };
  }
}
