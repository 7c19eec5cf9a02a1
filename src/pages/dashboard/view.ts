import type { Markup } from "../html.js";
import type { Scene } from "./scene.js";
import { activityView } from "./views/activity.js";
import { chargeView } from "./views/charge.js";
import { chargesView } from "./views/charges.js";
import { checksView } from "./views/checks.js";
import { deliveryView } from "./views/delivery.js";
import { faultsView } from "./views/faults.js";
import { moneyView } from "./views/money.js";
import { probeView } from "./views/receiver-check.js";
import { requestView } from "./views/request.js";
import { requestsView } from "./views/requests.js";
import { scenarioView } from "./views/scenario.js";
import { scenariosView } from "./views/scenarios.js";
import { searchView } from "./views/search.js";
import { webhooksView } from "./views/webhooks.js";
import { worldView } from "./views/world.js";

const LISTS = {
  activity: activityView,
  charges: chargesView,
  webhooks: webhooksView,
  requests: requestsView,
  money: moneyView,
  scenarios: scenariosView,
  faults: faultsView,
  checks: checksView,
  world: worldView,
  search: searchView,
} as const;

/** Renders a view or one object of it; undefined if the object does not exist. */
export function viewOf(scene: Scene): Markup | undefined {
  const { view, id, namespace } = scene;
  const { state } = namespace.engine;
  if (id === undefined || id === "") return LISTS[view](scene);
  switch (view) {
    case "charges": {
      const charge = state.get("charges", id);
      return charge && chargeView(scene, charge);
    }
    case "webhooks": {
      const delivery = state.get("deliveries", id);
      return delivery && deliveryView(scene, delivery);
    }
    case "requests": {
      const entry = namespace.journal.entries().find((one) => String(one.id) === id);
      return entry && requestView(scene, entry);
    }
    case "scenarios": {
      const stored = state.get("scenarios", id);
      return stored && scenarioView(scene, stored);
    }
    case "checks":
      return probeView(scene, id);
    default:
      return undefined;
  }
}
