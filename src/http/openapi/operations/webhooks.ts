import * as example from "../examples.js";
import type { OperationDoc } from "../operation-doc.js";
import { ALL_ASSUMED, PAGE } from "./common.js";

export const WEBHOOKS_DOCS: Readonly<Record<string, OperationDoc>> = {
  createWebhook: {
    tag: "Webhooks",
    summary: "Register a webhook",
    says: "An address that shall hear of events in the key's mode. Registered again, an address is updated.",
    assumed: ALL_ASSUMED,
    body: { component: "WebhookRequest", examples: { "charges only": example.WEBHOOK_REQUEST } },
    answer: {
      component: "Webhook",
      says: "It is registered.",
      examples: { "charges only": example.WEBHOOK },
    },
  },
  listWebhooks: {
    tag: "Webhooks",
    summary: "List webhooks",
    says: "The endpoints of the key's mode, newest first; those the sandbox was started with too.",
    assumed: ALL_ASSUMED,
    query: PAGE,
    answer: {
      component: "WebhookList",
      says: "A page.",
      examples: { "one endpoint": example.WEBHOOK_LIST },
    },
  },
  getWebhook: {
    tag: "Webhooks",
    summary: "Read a webhook",
    says: "One endpoint, with its secret.",
    assumed: ALL_ASSUMED,
    answer: { component: "Webhook", says: "The endpoint.", examples: { "charges only": example.WEBHOOK } },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
  updateWebhook: {
    tag: "Webhooks",
    summary: "Change a webhook",
    says: "Changes what is sent; the rest stays.",
    assumed: ALL_ASSUMED,
    body: { component: "WebhookUpdate", examples: { "turn it on": { enabled: true } } },
    answer: { component: "Webhook", says: "The endpoint.", examples: { "charges only": example.WEBHOOK } },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
  deleteWebhook: {
    tag: "Webhooks",
    summary: "Delete a webhook",
    says: "Nothing more is sent to it.",
    assumed: ALL_ASSUMED,
    answer: { component: "WebhookDeleted", says: "It is gone.", examples: { gone: example.WEBHOOK_DELETED } },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
  rotateWebhookSecret: {
    tag: "Webhooks",
    summary: "Rotate a webhook's secret",
    says: "Gives the endpoint a new secret. For 24 hours events are signed with both.",
    assumed: ALL_ASSUMED,
    answer: {
      component: "Webhook",
      says: "The endpoint with its new secret.",
      examples: { "charges only": example.WEBHOOK },
    },
    missing: "There is no such endpoint in the organization and mode of the key",
  },
};
