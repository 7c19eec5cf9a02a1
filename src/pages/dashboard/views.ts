import type { View } from "./view.js";
import { ACTIVITY } from "./views/activity.js";
import { CHARGES } from "./views/charges.js";
import { FAULTS } from "./views/faults.js";
import { MONEY } from "./views/money.js";
import { NAMESPACE } from "./views/namespace.js";
import { REQUESTS } from "./views/requests.js";
import { SCENARIOS } from "./views/scenarios.js";
import { WEBHOOKS } from "./views/webhooks.js";

/** The dashboard's pages, in menu order; the first is its home. */
export const VIEWS: readonly View[] = [
  ACTIVITY,
  CHARGES,
  WEBHOOKS,
  REQUESTS,
  MONEY,
  SCENARIOS,
  FAULTS,
  NAMESPACE,
];

export function viewNamed(name: string): View | undefined {
  return VIEWS.find((view) => view.name === name);
}
