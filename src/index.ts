/** The library's door: what is exported here is what the package promises. */

export type { WebhookAnswer, WebhookHandler } from "./delivery/in-process.js";
export type { CheckWebhookOptions } from "./doctor/options.js";
export type { ExploreFinding, ExploreReport, ExploreSingle, Oracle } from "./explore/report.js";
export type { Deviation, DeviationKind } from "./explore/schedule.js";
export { createSandbox } from "./opening.js";
export type {
  ChargeDetail,
  ChargeEvent,
  ExploreFlowOptions,
  ListenOptions,
  PaymentInstructions,
  ReconcileOptions,
  ResetOptions,
  RunFileOptions,
  SandboxOptions,
  WebhookEvent,
  WebhookHandlerOptions,
  WebhookSubscription,
  WithdrawalDetail,
  WithdrawalEvent,
} from "./public-types.js";
export { Sandbox } from "./sandbox.js";
export type { Difference, Failure, NearMiss } from "./scenario/running/failure.js";
export type { Outcome, RunReport, StepReport } from "./scenario/running/report.js";
export type { BookFinding, BookReport, FindingKind, Marking } from "./schema/books.js";
export { CHARGE_STATUSES, type ChargeStatus, type Mode, type WithdrawalStatus } from "./schema/common.js";
export { ERROR_STATUS, type ErrorCode } from "./schema/errors.js";
export type { Answer, Finding, Probe, ProbeRow, WebhookReport } from "./schema/receiver-report.js";
export { SandboxError } from "./schema/sandbox-error.js";
export { UserError } from "./schema/user-error.js";
export type { CustomSignature, Signature, SignaturePreset } from "./schema/webhooks.js";
