/** Fields that tell a delivery from others of its event, in its record and in the control API's JSON. */
export interface SentDelivery {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly webhook_id: string;
  readonly mishap: { readonly forged?: unknown } | null;
}

/** Names further deliveries of an event to a receiver, by their ids. Takes the newest delivery first. */
export function copyTexts(deliveries: readonly SentDelivery[]): ReadonlyMap<string, string> {
  const copies = new Map<string, string>();
  const seen = new Set<string>();
  for (const { delivery_id, event_id, webhook_id, mishap } of [...deliveries].reverse()) {
    const key = `${event_id} ${webhook_id}`;
    const text = mishap?.forged ? "false event" : seen.has(key) && "duplicate";
    if (text !== false) copies.set(delivery_id, text);
    seen.add(key);
  }
  return copies;
}
