import * as r from "../../../../schema/control-responses.js";
import { type Component, object } from "../../component.js";

/** What the app did, and the market. */
export function insightComponents(): Component[] {
  return [
    object("Coverage", r.coverageSchema, "What the app has met of what the service can do.", {
      operations: "Operations it has called.",
      statuses: "Statuses its charges have had.",
      events: "Events that were made for it.",
      error_codes: "Error codes it was answered.",
    }),
    object("Covered", r.coveredSchema, "What was met, and what was not.", {
      met: "How often each was met.",
      not_met: "The rest.",
    }),
    object("Advice", r.adviceSchema, "Something the app did against the service's advice.", {
      advice: "What it should do.",
      why: "What it did.",
      times: "How often.",
      example: "The first time.",
    }),
    object("AdviceList", r.adviceListSchema, "What the app did against the service's advice.", {
      total: "How much there is.",
      items: "All of it.",
    }),
    object("Rates", r.ratesSchema, "The market.", {
      rates: "Units of each currency for one US dollar.",
    }),
  ];
}
