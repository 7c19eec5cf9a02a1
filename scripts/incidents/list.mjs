// The incidents of examples/incidents, and the deviation that finds each.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {object} Incident
 * @property {string} name its folder
 * @property {{ kind: string, at: string }} found the smallest deviation that shows the bug
 * @property {number} depth the smallest depth that finds it
 * @property {string[]} [failOn] kinds that are notes unless they are raised to findings
 */

export const FOLDER = fileURLToPath(new URL("../../examples/incidents", import.meta.url));

/** @type {Incident[]} */
export const INCIDENTS = [
  {
    name: "webhook-before-the-row",
    found: { kind: "response_held", at: "createWhitelabel#1" },
    depth: 1,
  },
  {
    name: "duplicates-at-once",
    found: { kind: "webhook_twice_at_once", at: "charge.completed#1" },
    depth: 1,
  },
  {
    name: "job-against-webhook",
    found: { kind: "job_at_once", at: "charge.completed#1" },
    depth: 1,
  },
  {
    name: "retry-after-slow-success",
    found: { kind: "pressed_twice", at: "POST /top-ups#1" },
    depth: 1,
  },
  {
    name: "refund-before-completion",
    found: { kind: "webhook_after_next", at: "charge.completed#1" },
    depth: 1,
  },
  {
    name: "late-payment-after-cancel",
    found: { kind: "paid_late", at: "charge#1" },
    depth: 1,
  },
  {
    name: "amount-not-checked",
    found: { kind: "underpaid", at: "charge#1" },
    depth: 1,
    failOn: ["underpaid", "paid_in_other_currency"],
  },
  {
    name: "new-key-on-retry",
    found: { kind: "response_lost", at: "createWithdrawal#1" },
    depth: 1,
  },
  {
    name: "callback-never-comes",
    found: { kind: "webhook_dropped", at: "charge.completed#1" },
    depth: 1,
    failOn: ["webhook_dropped"],
  },
  {
    name: "payout-failure-credited-twice",
    found: { kind: "webhook_twice", at: "withdrawal.failed#1" },
    depth: 1,
  },
  {
    name: "partial-refund-booked-twice",
    found: { kind: "webhook_twice", at: "sandbox.charge.partially_refunded#1" },
    depth: 1,
  },
  {
    name: "failed-attempt-after-success",
    found: { kind: "webhook_late", at: "charge.failed#1" },
    depth: 1,
  },
  {
    name: "seen-before-done",
    found: { kind: "response_5xx", at: "createWithdrawal#1" },
    depth: 1,
  },
  {
    name: "failed-handler-returns-200",
    found: { kind: "response_5xx", at: "getCharge#1" },
    depth: 1,
  },
  {
    name: "old-payload-over-newer",
    found: { kind: "webhook_after_next", at: "charge.processing#1" },
    depth: 1,
  },
  {
    name: "payout-timeout-taken-for-failure",
    found: { kind: "response_lost", at: "createWithdrawal#1" },
    depth: 1,
  },
  {
    name: "lookup-id-overwritten",
    found: { kind: "response_5xx", at: "getCharge#1" },
    depth: 1,
  },
  {
    name: "rate-limit-counts-as-done",
    found: { kind: "response_429", at: "getCharge#1" },
    depth: 1,
  },
  {
    name: "abandoned-attempt-expires",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the flow
    found: { kind: "pressed_again", at: "POST /orders/${order}/payments#1" },
    depth: 1,
  },
  {
    name: "failed-not-on-the-list",
    found: { kind: "declined", at: "charge#1" },
    depth: 1,
  },
  {
    name: "seen-after-the-deadline",
    found: { kind: "webhook_after_deadline", at: "charge.completed#1" },
    depth: 1,
  },
  {
    name: "null-acknowledged",
    found: { kind: "cancelled_then_paid", at: "page#1" },
    depth: 1,
  },
  {
    name: "first-page-only",
    found: { kind: "paid_between_pages", at: "listPayins#1" },
    depth: 1,
  },
  {
    name: "success-url-as-proof",
    found: { kind: "returned_unpaid", at: "page#1" },
    depth: 1,
  },
];

export function flowOf({ name }) {
  return join(FOLDER, name, "flow.yaml");
}

const joinWords = (text) => text.replaceAll(/\W+/g, "-");

/** True if a saved scenario has the deviation that finds the incident; its name says so. */
export function isSavedFor({ name, found: { kind, at } }, file) {
  return joinWords(file).startsWith(joinWords(`${name}.${kind}.${at}`));
}

/** @param {Incident} incident @param {"app" | "fixed"} kind */
export function programOf({ name }, kind) {
  const file = readdirSync(join(FOLDER, name)).find((one) => one.startsWith(`${kind}.`));
  return join(FOLDER, name, file);
}

const LANGUAGES = { ".mjs": "Node", ".py": "Python", ".php": "PHP", ".rb": "Ruby" };
const FRAMEWORKS = {
  Hono: 'from "hono"',
  Express: 'from "express"',
  Flask: "from flask import",
  Sinatra: 'require "sinatra',
};

export function languageOf(incident) {
  const program = programOf(incident, "app");
  const source = readFileSync(program, "utf8");
  const framework = Object.keys(FRAMEWORKS).find((one) => source.includes(FRAMEWORKS[one]));
  return framework ?? LANGUAGES[extname(program)];
}
