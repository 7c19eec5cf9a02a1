import type { ProbeRow, SentProbe, WebhookReport } from "../schema/receiver-report.js";
import type { Signature } from "../schema/webhooks.js";

export interface ReceiverCheck {
  readonly url: string;
  readonly secret: string;
  readonly signature: Signature;
  /** Told of each probe as soon as it is known how it came out. */
  readonly onRow: (row: ProbeRow) => void;
  readonly onSent: (request: SentProbe) => void;
}

/** Holds a receiver against what a good one does. It is handed in, for it sends requests as anybody does. */
export type CheckReceiver = (check: ReceiverCheck) => Promise<WebhookReport>;
