/* Views by name. A view renders a list or one record from the page context, and changes nothing. */
import type { Markup } from "../html.js";
import type { PageContext, ViewName } from "./page-context.js";
import { activityView } from "./views/activity-view.js";
import { chargesView, chargeView } from "./views/charges-view.js";
import { checksView } from "./views/checks-view.js";
import { deliveryDetailView } from "./views/delivery-view.js";
import { faultsView } from "./views/faults-view.js";
import { moneyView } from "./views/money-view.js";
import { namespaceView } from "./views/namespace-view.js";
import { probeView } from "./views/receiver-check-view.js";
import { requestsView, requestView } from "./views/requests-view.js";
import { scenarioDetailView, scenariosView } from "./views/scenarios-view.js";
import { searchView } from "./views/search-view.js";
import { webhooksView } from "./views/webhooks-view.js";

const LISTS = {
  activity: activityView,
  charges: chargesView,
  webhooks: webhooksView,
  requests: requestsView,
  money: moneyView,
  scenarios: scenariosView,
  faults: faultsView,
  checks: checksView,
  world: namespaceView,
  search: searchView,
} as const;

interface RecordView {
  /** Noun of the record, for messages. */
  readonly noun: string;
  /** Returns undefined if the record does not exist. */
  readonly render: (context: PageContext, id: string) => Markup | undefined;
}

const RECORDS: { readonly [View in ViewName]?: RecordView } = {
  charges: { noun: "charge", render: chargeView },
  webhooks: { noun: "delivery", render: deliveryDetailView },
  requests: { noun: "request", render: requestView },
  scenarios: { noun: "scenario", render: scenarioDetailView },
  checks: { noun: "probe", render: probeView },
};

export function renderView(context: PageContext): Markup | undefined {
  const { view, id } = context;
  return id === undefined || id === "" ? LISTS[view](context) : RECORDS[view]?.render(context, id);
}

export function recordNoun(view: ViewName): string {
  return RECORDS[view]?.noun ?? "page";
}
