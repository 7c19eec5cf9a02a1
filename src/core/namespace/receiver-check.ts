import type { ProbeRow, SentProbe, WebhookReport } from "../schema/receiver-report.js";
import type { Signature } from "../schema/webhooks.js";

export interface ReceiverCheck {
  readonly url: string;
  readonly secret: string;
  readonly signature: Signature;
  /** Called with each finished probe. */
  readonly onRow: (row: ProbeRow) => void;
  readonly onSent: (request: SentProbe) => void;
}

/** Tests a webhook receiver. Injected, since the implementation is a client of the server. */
export type CheckReceiver = (check: ReceiverCheck) => Promise<WebhookReport>;
