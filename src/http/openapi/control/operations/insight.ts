import { requestQuerySchema } from "../../../../schema/control.js";
import { type ControlDoc, faulty, LIMIT, OFFSET, query } from "../doc.js";
import * as example from "../examples.js";

export const INSIGHT_DOCS: Readonly<Record<string, ControlDoc>> = {
  listRequests: {
    tag: "Insight",
    summary: "List requests",
    says: "What the app sent to the service and got, bodies too, newest first. Keys are masked.",
    query: query(requestQuerySchema, {
      limit: LIMIT,
      offset: OFFSET,
      method: { says: "Only of this method.", examples: ["POST"] },
      path: { says: "Only at these paths: a glob.", examples: ["/api/v1/payments/*"] },
      operation: { says: "Only calls of this operation: a glob.", examples: ["createQuote"] },
      status: { says: "Only those answered so: a status or a class.", examples: ["4xx"] },
      since: {
        says: "Only those after the request of this id, or not before this instant.",
        examples: ["17", "2026-01-31T09:00:00.000Z"],
      },
    }),
    answer: {
      component: "RequestList",
      says: "A page.",
      examples: { one: example.only(example.REQUEST_ENTRY) },
    },
  },
  clearRequests: {
    tag: "Insight",
    summary: "Forget requests",
    says: "The journal of requests is empty from here on.",
    answer: {
      component: "RequestList",
      says: "It is empty.",
      examples: { empty: { total: 0, items: [] } },
    },
  },
  getCoverage: {
    tag: "Insight",
    summary: "Read the coverage",
    says: "Operations, statuses, events and error codes the app has met and has not met.",
    answer: { component: "Coverage", says: "The coverage.", examples: { "cut short": example.COVERAGE } },
  },
  getAdvice: {
    tag: "Insight",
    summary: "Read advice",
    says:
      "What the app did against the service's advice: balances or charges polled too often, webhooks answered late or " +
      "with a redirect.",
    answer: { component: "AdviceList", says: "The advice.", examples: { one: example.only(example.ADVICE) } },
  },
  followStream: {
    tag: "Insight",
    summary: "Follow all of it live",
    says:
      "Server-sent events: `hello` at first, then `request`, `charge`, `event`, `delivery` and `clock` as they come. " +
      "Nothing that happened before is sent. For a slow reader 16 MB wait; what comes while there is no room is left " +
      "out, and a message `missed` says how many were, at the place where they are missing.",
    openQuery: [
      {
        name: "namespace",
        in: "query",
        description: "In the place of the header Sandbox-Namespace, which an EventSource cannot send.",
        schema: { type: "string" },
        example: "default",
      },
    ],
    answer: {
      component: "StreamHello",
      says: "The stream, until one side ends it.",
      examples: { "its beginning": example.STREAM_TEXT },
    },
  },
  getRates: {
    tag: "Objects",
    summary: "Read the market",
    says: "Units of each currency for one US dollar, as they stand now.",
    answer: { component: "Rates", says: "The rates.", examples: { "cut short": example.RATES } },
  },
  setRates: {
    tag: "Objects",
    summary: "Change the market",
    says: "Rates that are not named stay, and so does what was quoted before.",
    body: { component: "RatesRequest", examples: { "a dearer dollar": { rates: { NGN: "1600" } } } },
    answer: { component: "Rates", says: "The rates.", examples: { "cut short": example.RATES } },
    invalid: { "no such currency": faulty({ XXX: "is not a currency" }) },
  },
};
