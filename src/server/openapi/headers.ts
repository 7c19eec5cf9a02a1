import { ASSUMPTION_KEY, type OpenApiJson } from "./document.js";

export const RESPONSE_HEADERS: Readonly<Record<string, OpenApiJson>> = {
  "Sandbox-Now": {
    description: "Sandbox time, in every response.",
    required: true,
    schema: { type: "string", format: "date-time" },
    example: "2026-01-31T09:00:00.000Z",
    [ASSUMPTION_KEY]: "The sandbox's own; the service does not send it.",
  },
  "X-Content-Type-Options": {
    description: "Tells browsers not to guess the content type; in every response.",
    required: true,
    schema: { type: "string", enum: ["nosniff"] },
    example: "nosniff",
    [ASSUMPTION_KEY]: "The interface does not say that it is sent.",
  },
  "Sandbox-Hint": {
    description: "What to do about the error. Missing when a fault or scenario forced the response.",
    schema: { type: "string" },
    example: "Wait as long as Retry-After says, or start the sandbox with --rate-limit off",
    [ASSUMPTION_KEY]: "The sandbox's own; the service does not send it.",
  },
  RateLimit: {
    description: "Requests left in the window, and seconds until it ends. Missing when no limit is set.",
    schema: { type: "string" },
    example: '"default";r=99;t=60',
    [ASSUMPTION_KEY]:
      "The limit of 100 a minute and key is the interface's; that headers report it is assumed.",
  },
  "RateLimit-Policy": {
    description: "The limit: requests and seconds. Missing when no limit is set.",
    schema: { type: "string" },
    example: '"default";q=100;w=60',
    [ASSUMPTION_KEY]: "A fixed window of 60 seconds of sandbox time from a key's first request.",
  },
  "Retry-After": {
    description: "Seconds to wait.",
    required: true,
    schema: { type: "string", pattern: "^\\d+$" },
    example: "17",
    [ASSUMPTION_KEY]: "The interface does not say that it is sent.",
  },
  "Idempotent-Replayed": {
    description: "Present when the response repeats that of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
    [ASSUMPTION_KEY]: "The interface advises idempotency keys for withdrawals without showing their form.",
  },
};

export const REQUEST_HEADERS: Readonly<Record<"Idempotency-Key" | "Sandbox-Scenario", OpenApiJson>> = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    description: "A key of your choice for this request, valid for 24 hours of sandbox time.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "rent-1-first-try",
    [ASSUMPTION_KEY]:
      "Name and length; with another body it returns 422; only successful responses are remembered, errors are not.",
  },
  "Sandbox-Scenario": {
    name: "Sandbox-Scenario",
    in: "header",
    description:
      "Name of the scenario that decides what happens to this object, with its faults applied to this request. " +
      "The scenario in `metadata.sandbox_scenario` comes next. An empty header counts as absent. " +
      "An unknown name returns 400 with `details.sandbox_scenario`.",
    // Postman sends a default, and otherwise a text that names no scenario.
    schema: { type: "string", default: "" },
    example: "instant",
    [ASSUMPTION_KEY]: "The sandbox's own; the service does not know it.",
  },
};

export function headerRefs(names: readonly string[]): OpenApiJson {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const COMMON_HEADERS = ["Sandbox-Now", "X-Content-Type-Options"];
export const RATE_LIMITED_HEADERS = [...COMMON_HEADERS, "RateLimit", "RateLimit-Policy"];
export const HINT_HEADER = "Sandbox-Hint";
