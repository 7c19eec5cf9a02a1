/** Public API of the package. */

export type { WebhookAnswer, WebhookHandler } from "../core/delivery/in-process-receivers.js";
export {
  CHARGE_STATUSES,
  type ChargeStatus,
  type Mode,
  type WithdrawalStatus,
} from "../core/schema/common.js";
export type { BookFinding, BookReport } from "../core/schema/control-responses.js";
export type { Difference, Failure, NearMiss } from "../core/schema/control-scenario-responses.js";
export type { OperationId } from "../core/schema/operation-ids.js";
export type { Answer, Finding, Probe, ProbeRow, WebhookReport } from "../core/schema/receiver-report.js";
export type { FindingKind, Marking } from "../core/schema/reconciliation.js";
export { ERROR_STATUS, type ErrorCode, SandboxError } from "../core/schema/refusals.js";
export type { ChargeDetail, PaymentInstructions } from "../core/schema/responses/charge-responses.js";
export type { WithdrawalDetail } from "../core/schema/responses/payout-responses.js";
export type {
  ChargeEvent,
  WebhookEvent,
  WithdrawalEvent,
} from "../core/schema/responses/webhook-responses.js";
export type { CustomSignature, Signature, SignaturePreset } from "../core/schema/signature-schemes.js";
export { UserError } from "../core/schema/user-error.js";
export type { CheckWebhookOptions } from "../tools/doctor/check-options.js";
export type { Deviation, DeviationKind } from "../tools/explore/deviation-set.js";
export type {
  ExploreFinding,
  ExploreReport,
  ExploreSingle,
  LivesReport,
  Oracle,
} from "../tools/explore/exploration.js";
export { ExploreError } from "../tools/explore/explore-error.js";
export type {
  ExploreContext,
  ExploreCustomer,
  ExploreFlow,
  ExploreLifeContext,
  ExploreLives,
  ExplorePayment,
} from "../tools/explore/functions/flow.js";
export type { Outcome, RunReport, StepReport } from "../tools/scenario/running/run-report.js";
export type {
  ExploreFlowOptions,
  ExploreOptions,
  ListenOptions,
  ReconcileOptions,
  ResetOptions,
  RunFileOptions,
  SandboxOptions,
  WebhookHandlerOptions,
  WebhookSubscription,
} from "./library-options.js";
export { createSandbox } from "./opening.js";
export { Sandbox } from "./sandbox.js";
