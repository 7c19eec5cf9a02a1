import type { OperationCall } from "../../core/client/control-client.js";
import type { ControlOperationId } from "../../core/client/operations.js";
import { advanceText } from "../../core/reports/advance-text.js";
import { matchText } from "../../core/reports/rule-text.js";
import type { AdvanceReport } from "../../core/schema/control-insight-responses.js";
import type { FaultRule } from "../../core/schema/scenario-rules.js";
import { formatCount } from "../../core/schema/text-format.js";

/** Fields of a form or button. */
export type Fields = Readonly<Record<string, string>>;

/** Fields of responses that notices mention. */
type Text = "url" | "status" | "currency" | "amount" | "name" | "from" | "to" | "mode";
type Result = Readonly<Partial<Record<Text, string>>> & {
  readonly events?: readonly string[];
  readonly enabled?: boolean;
  readonly removed?: number;
  readonly fired_total?: number;
  readonly match?: FaultRule["match"];
};

/** @param subject the order, reference or id of the charge or payout; of an advance what is due next */
type NoticeOf = (result: Result, subject: string, fields: Fields) => string;

const statusNotice: NoticeOf = ({ status }, subject, { reason }) =>
  `${subject} is ${status}${reason ? `: ${reason}` : ""}`;
const stopNotice: NoticeOf = ({ removed = 0 }) => `${formatCount(removed, "fault")} stopped`;

/** Operations with a button or form on the dashboard, each with the text shown after its call. */
export const NOTICES = {
  advanceClock: (report, next) => {
    const { from, to, fired_total } = report;
    const text = from === to ? "Nothing is due now" : advanceText(report as unknown as AdvanceReport);
    return fired_total === 0 ? `${text}; ${next}` : text;
  },
  setClock: ({ mode }) => (mode === "manual" ? "The clock is frozen" : "The clock runs"),
  transitionCharge: statusNotice,
  transitionWithdrawal: statusNotice,
  payAmount: ({ status, currency }, subject, { amount }) =>
    `${subject} is ${status}: ${currency} ${amount} paid`,
  refundPart: ({ currency, amount }, subject) => `${subject}: ${currency} ${amount} refunded`,
  chargeBack: ({ currency, amount }, subject) => `${subject}: ${currency} ${amount} charged back`,
  bounceWithdrawal: (_, subject) => `${subject} was returned`,
  fundBalance: ({ currency }, _, { amount }) => `${currency} ${amount} added`,
  createWebhookEndpoint: ({ url, events = [] }) => `${url} receives ${events.join(", ")}`,
  updateWebhookEndpoint: ({ url, events = [], enabled }) =>
    `${url ?? "The receiver"} is ${enabled ? `on and receives ${events.join(", ")}` : "off"}`,
  createFault: ({ match }) => `Fault started for ${matchText({ match })}`,
  deleteFault: stopNotice,
  deleteFaults: stopNotice,
  activateScenario: ({ name }) => `Scenario ${name} applies to everything new`,
  deactivateScenario: ({ name }) => `Scenario ${name} is off`,
  createSnapshot: ({ name }) => `Snapshot ${name} saved`,
  restoreSnapshot: (_, __, { name }) => `Snapshot ${name} restored`,
  deleteSnapshot: ({ name }) => `Snapshot ${name} deleted`,
  createNamespace: ({ name }) => `Namespace ${name} created`,
} satisfies { readonly [Id in ControlOperationId]?: NoticeOf };

/** Actions that are more than one operation of the control API, or none. */
export type OwnAction = "reset" | "redeliver" | "retryDelivery" | "retryReceiver" | "make" | "again";

/** An action with the fields that the form does not have. */
export type Press =
  | Extract<OperationCall, readonly [keyof typeof NOTICES, ...unknown[]]>
  | readonly [action: OwnAction, fields?: Fields];

/** Value of a button: `transitionCharge?charge_id=ch_1&to=FAILED`. */
export function pressText([action, fields = {}]: Press): string {
  const query = new URLSearchParams(fields as Fields).toString();
  return query === "" ? action : `${action}?${query}`;
}
