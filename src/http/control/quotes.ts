import type { Destination, Quote } from "../../engine/records.js";
import { destinationView, quoteView } from "../../engine/views.js";
import { refuse } from "../../schema/errors.js";
import { pageQuerySchema } from "../../schema/requests.js";
import { pageOf } from "../query.js";
import { controlOperation, shown } from "./operation.js";

/** Quotes and payout destinations of every organization and both modes. */
export const QUOTES = [
  controlOperation(
    {
      id: "listQuotes",
      method: "GET",
      path: "/_sandbox/quotes",
      query: pageQuerySchema,
      reads: true,
      answer: "ControlQuoteList",
      says: { summary: "List quotes", about: "Quotes of every organization, newest first." },
    },
    ({ namespace: { engine }, query }) => {
      const { limit, offset } = pageOf(query);
      const items = engine.state.page("quotes", "quotes", offset, limit);
      return { total: engine.state.count("quotes"), items: items.map(controlQuoteView) };
    },
  ),
  controlOperation(
    {
      id: "getControlQuote",
      method: "GET",
      path: "/_sandbox/quotes/:quote_id",
      reads: true,
      answer: "ControlQuote",
      says: { summary: "Get a quote", about: "A quote of any organization." },
    },
    ({ namespace: { engine }, param }) =>
      shown(
        engine.state.get("quotes", param("quote_id")) ?? refuse("NOT_FOUND", "Quote not found"),
        controlQuoteView,
      ),
  ),
  controlOperation(
    {
      id: "listControlDestinations",
      method: "GET",
      path: "/_sandbox/destinations",
      query: pageQuerySchema,
      reads: true,
      answer: "ControlDestinationList",
      says: {
        summary: "List payout destinations",
        about: "Destinations of every organization, newest first.",
      },
    },
    ({ namespace: { engine }, query }) => {
      const { limit, offset } = pageOf(query);
      const items = engine.state.page("destinations", "destinations", offset, limit);
      return { total: engine.state.count("destinations"), items: items.map(controlDestinationView) };
    },
  ),
];

function controlQuoteView(quote: Quote) {
  return { ...quoteView(quote), mode: quote.mode, organization_id: quote.organization_id };
}

function controlDestinationView(one: Destination) {
  return { ...destinationView(one), mode: one.mode, organization_id: one.organization_id };
}
