/** Views by name. A view renders a list or one object from the page context, and changes nothing. */
import type { Markup } from "../html.js";
import type { PageContext } from "./page-context.js";
import { activityView } from "./views/activity-view.js";
import { chargeView } from "./views/charge-view.js";
import { chargesView } from "./views/charges-view.js";
import { checksView } from "./views/checks-view.js";
import { deliveryDetailView } from "./views/delivery-view.js";
import { faultsView } from "./views/faults-view.js";
import { moneyView } from "./views/money-view.js";
import { namespaceView } from "./views/namespace-view.js";
import { probeView } from "./views/receiver-check-view.js";
import { requestView } from "./views/request-view.js";
import { requestsView } from "./views/requests-view.js";
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

/** Returns undefined if the object does not exist. */
export function renderView(context: PageContext): Markup | undefined {
  const { view, id, namespace } = context;
  const { state } = namespace.engine;
  if (id === undefined || id === "") return LISTS[view](context);
  switch (view) {
    case "charges": {
      const charge = state.get("charges", id);
      return charge && chargeView(context, charge);
    }
    case "webhooks": {
      const delivery = state.get("deliveries", id);
      return delivery && deliveryDetailView(context, delivery);
    }
    case "requests": {
      const request = namespace.journal.entries().find((entry) => String(entry.id) === id);
      return request && requestView(context, request);
    }
    case "scenarios": {
      const stored = state.get("scenarios", id);
      return stored && scenarioDetailView(context, stored);
    }
    case "checks":
      return probeView(context, id);
    default:
      return undefined;
  }
}
