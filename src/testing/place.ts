import type { WebhookHandler } from "../core/delivery/in-process.js";
import type { ExploreFlowOptions, WebhookHandlerOptions } from "../public-types.js";
import type { Sandbox } from "../sandbox.js";
import type { ExploreReport } from "../tools/explore/report.js";

/** The options that `setupSandbox` has besides those of `createSandbox`. */
export const OWN_OPTIONS = ["hooks", "server", "listen", "reconcile"] as const;

/** The world of a test file, wherever it is: a sandbox of its own, or a namespace of one that is shared. */
export interface Place {
  readonly namespace: string;
  /** Throws where nothing listens. */
  readonly url: string;
  /** Over HTTPS: what it is trusted by. */
  readonly trust?: Sandbox["trust"];
  readonly apiKey: string;
  readonly liveApiKey: string;
  readonly webhookSecret: string;
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  onWebhook(handler: WebhookHandler, options: WebhookHandlerOptions): Promise<() => Promise<void>>;
  explore(flow: string, options: ExploreFlowOptions): Promise<ExploreReport>;
  /** What a reset has taken away and the options ask for. */
  refurnish(): Promise<void>;
  close(): Promise<void>;
}
