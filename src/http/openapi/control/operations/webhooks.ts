import { deliveryQuerySchema, eventQuerySchema } from "../../../../schema/control.js";
import { type ControlDoc, faulty, illegal, LIMIT, MODE, notFound, OFFSET, query } from "../doc.js";
import * as example from "../examples.js";
import { PAGE } from "./world.js";

const NO_DELIVERY = notFound("Delivery not found");
const NO_ENDPOINT = notFound("Webhook not found");
const TYPE = { says: "Only events of this type: a glob.", examples: ["charge.*"] };
const OF_CHARGE = "Only those about this charge.";
const ENDPOINT = { component: "WebhookEndpoint", examples: { "charges only": example.ENDPOINT } };

export const WEBHOOK_DOCS: Readonly<Record<string, ControlDoc>> = {
  listEvents: {
    tag: "Webhooks",
    summary: "List events",
    says: "The log of events, newest first.",
    query: query(eventQuerySchema, {
      limit: LIMIT,
      offset: OFFSET,
      type: TYPE,
      charge_id: OF_CHARGE,
      mode: MODE,
    }),
    answer: { component: "EventList", says: "A page.", examples: { one: example.only(example.EVENT) } },
  },
  createEvent: {
    tag: "Webhooks",
    summary: "Trigger an event",
    says: "An event that no status change caused: about an existing charge, or a sample that has the shape of one.",
    body: {
      component: "EventRequest",
      examples: {
        "to try a receiver": { type: "webhook.test", data: { hello: "app" } },
        "a payment": { type: "charge.completed", data: { metadata: { order_id: "1043" } } },
        "a type of your own": { type: "dispute.opened", data: { reason: "fraud" }, force: true },
      },
    },
    answer: {
      component: "TriggeredEvent",
      says: "It is on its way.",
      examples: { test: { ...example.TEST_EVENT, deliveries: 1 } },
    },
    invalid: {
      "no such type": faulty({ type: "is no type of event; did you mean charge.completed? Known: …" }),
    },
    missing: notFound("Charge not found"),
  },
  listDeliveries: {
    tag: "Webhooks",
    summary: "List deliveries",
    says: "The log of deliveries, newest first, with every attempt and its answer.",
    query: query(deliveryQuerySchema, {
      limit: LIMIT,
      offset: OFFSET,
      type: TYPE,
      charge_id: OF_CHARGE,
      event_id: "Only those of this event.",
      status: "Only those in this status.",
      mode: MODE,
    }),
    answer: { component: "DeliveryList", says: "A page.", examples: { one: example.only(example.DELIVERY) } },
  },
  getDelivery: {
    tag: "Webhooks",
    summary: "Read a delivery",
    says: "One delivery: exact bytes, headers, answers, next attempt.",
    answer: { component: "Delivery", says: "The delivery.", examples: { delivered: example.DELIVERY } },
    missing: NO_DELIVERY,
  },
  redeliver: {
    tag: "Webhooks",
    summary: "Deliver again",
    says: "New deliveries of the same event to the same receiver, freshly signed.",
    body: { component: "RedeliverRequest", examples: { twice: { times: 2 } } },
    answer: {
      component: "DeliveryList",
      says: "The new deliveries.",
      examples: { one: example.only(example.NEW_DELIVERY) },
    },
    missing: NO_DELIVERY,
  },
  retryDelivery: {
    tag: "Webhooks",
    summary: "Try a delivery again now",
    says: "Makes the next attempt at the same delivery now rather than when it is planned; it counts like any other.",
    body: { component: "RetryRequest", examples: { nothing: {} } },
    answer: { component: "Delivery", says: "It is due now.", examples: { pending: example.NEW_DELIVERY } },
    missing: NO_DELIVERY,
    conflicts: {
      arrived: illegal("The delivery has arrived; redeliver makes a new one of the same event."),
    },
  },
  takeFromMailbox: {
    tag: "Webhooks",
    summary: "Take from a mailbox",
    says: "Exactly what a receiver would have got, signed now. Each waits for its acknowledgement from then on.",
    body: { component: "TakeRequest", examples: { one: { max: 1 } } },
    answer: {
      component: "MailboxItemList",
      says: "What was there.",
      examples: { one: example.only(example.MAILBOX_ITEM) },
    },
    missing: notFound('There is no mailbox "tests"'),
  },
  acknowledgeDelivery: {
    tag: "Webhooks",
    summary: "Answer as the receiver",
    says: "What the receiver answers to a delivery that was taken; a failure is tried again by the schedule.",
    body: { component: "AckRequest", examples: { fine: { status: 200 }, "out of order": { status: 503 } } },
    answer: { component: "Delivery", says: "The delivery.", examples: { delivered: example.DELIVERY } },
    missing: notFound("Nobody has taken a delivery of that id"),
  },
  listWebhookEndpoints: {
    tag: "Webhooks",
    summary: "List receivers",
    says: "The receivers of every organization and mode, newest first.",
    query: PAGE,
    answer: {
      component: "WebhookEndpointList",
      says: "A page.",
      examples: { one: example.only(example.ENDPOINT) },
    },
  },
  createWebhookEndpoint: {
    tag: "Webhooks",
    summary: "Register a receiver",
    says: "A URL or a mailbox. It hears every organization of its mode, unless one is named.",
    body: {
      component: "WebhookEndpointRequest",
      examples: { "charges only": example.ENDPOINT_REQUEST, "a mailbox": { mailbox: "tests" } },
    },
    answer: { ...ENDPOINT, says: "It is registered." },
    invalid: { "no target": faulty({ url: "needs a url or a mailbox" }) },
  },
  getWebhookEndpoint: {
    tag: "Webhooks",
    summary: "Read a receiver",
    says: "One receiver.",
    answer: { ...ENDPOINT, says: "The receiver." },
    missing: NO_ENDPOINT,
  },
  updateWebhookEndpoint: {
    tag: "Webhooks",
    summary: "Change a receiver",
    says: "Changes what is sent; the rest stays.",
    body: { component: "WebhookEndpointUpdate", examples: { "turn it on": { enabled: true } } },
    answer: { ...ENDPOINT, says: "The receiver." },
    invalid: { "a mailbox's": faulty({ url: "cannot be given to a mailbox" }) },
    missing: NO_ENDPOINT,
  },
  deleteWebhookEndpoint: {
    tag: "Webhooks",
    summary: "Delete a receiver",
    says: "Nothing more is sent to it.",
    answer: {
      component: "WebhookEndpointDeleted",
      says: "It is gone.",
      examples: { gone: { webhook_id: example.ENDPOINT.webhook_id, deleted: true } },
    },
    missing: NO_ENDPOINT,
  },
};
