// Services that differ from the sandbox in one thing: a sandbox with another config, behind a proxy that changes what it says.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Applies a function to every field of a JSON value: returns the entries in its place. */
export function mapFields(value, change) {
  if (Array.isArray(value)) return value.map((item) => mapFields(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => change(name, mapFields(one, change))),
  );
}
const mapTexts = (value, change) =>
  mapFields(value, (name, one) => [[name, typeof one === "string" ? change(one, name) : one]]);
const renamed = (from, to) => (value) => mapFields(value, (name, one) => [[name === from ? to : name, one]]);
const without = (field) => (value) => mapFields(value, (name, one) => (name === field ? [] : [[name, one]]));
const fixtures = (lists) => ({ config: { fixtures: lists } });
const withoutMs = (body) =>
  mapTexts(body, (text) => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, "$1Z"));
const invalid = (details) => ({
  error: { code: "VALIDATION_ERROR", message: "Invalid request parameters", details },
});

const seenKeys = new Map();
const seenKey = ({ "idempotency-key": key }) => {
  seenKeys.set(key, (seenKeys.get(key) ?? 0) + 1);
  return seenKeys.get(key) > 1;
};

/** The 27 of the spike. */
export const KNOWN = {
  code_401: { config: { errorCodes: { UNAUTHORIZED: "invalid_api_key" } } },
  code_405: { config: { errorCodes: { METHOD_NOT_ALLOWED: "BAD_METHOD" } } },
  fees_card: { config: { fees: { card: { platform_percent: "2.0", gateway_percent: "1.9" } } } },
  rate_kes: { config: { rates: { KES: "130.5" } } },
  quote_valid: { config: { limits: { quote_valid: "60s" } } },
  checkout_minutes: { config: { limits: { checkout_default_minutes: 30 } } },
  signature: { config: { signature: "stripe" } },
  event_names: {
    config: { eventNames: { "charge.completed": "payment.successful", "charge.failed": "payment.failed" } },
  },
  before_method: { config: { amounts: { before_method: "cheapest" } } },
  path_rails: { config: { paths: { listPaymentRails: "/api/v1/payments/rails" } } },
  path_payouts: { config: { paths: { listPayoutCurrencies: "/api/v2/something/odd" } } },
  retry: { config: { retrySchedule: ["2s", "1m"] } },
  rate_limit: { config: { rateLimit: 90 }, burst: true },
  decimals_ugx: fixtures({ currencies: [{ code: "UGX", decimals: 0 }] }),
  mobile_without_ghs: fixtures({
    methods: [{ id: "mobile_money", currencies: ["NGN", "KES", "TZS", "UGX"] }],
  }),
  first_status: { scenario: "at-once" },
  no_ms: { body: withoutMs },
  fee_number: {
    body: (body) => mapFields(body, (name, one) => [[name, name === "total_fee" ? Number(one) : one]]),
  },
  created_201: { status: (status, { method }) => (method === "POST" && status === 200 ? 201 : status) },
  url_renamed: { body: renamed("checkout_url", "url") },
  filter_ignored: { url: (url) => url.replace("status_filter=NOTHING", "x=1") },
  details_list: {
    body: (body) =>
      body?.error?.details
        ? {
            error: {
              ...body.error,
              details: Object.entries(body.error.details).map(([field, message]) => ({ field, message })),
            },
          }
        : body,
  },
  no_405: {
    status: (status) => (status === 405 ? 404 : status),
    body: (body) =>
      body?.error?.code === "METHOD_NOT_ALLOWED"
        ? { error: { code: "NOT_FOUND", message: "Not found" } }
        : body,
  },
  envelope_event: { hook: renamed("type", "event") },
  oldest_first: {
    body: (body) => (Array.isArray(body?.items) ? { ...body, items: body.items.toReversed() } : body),
  },
  no_metadata_in_hook: {
    hook: ({ data: { metadata: _metadata, ...data }, ...event }) => ({ ...event, data }),
  },
  phone_plus_needed: {
    refuse: (body) =>
      body?.phone_number?.startsWith?.("254") ? invalid({ phone_number: "E.164" }) : undefined,
  },
};

/** Twelve of other kinds. */
export const OTHERS = {
  ten_keys: {
    refuse: (body) =>
      Object.keys(body?.metadata ?? {}).length > 10 ? invalid({ metadata: "at most 10" }) : undefined,
  },
  lower_case_status: {
    body: (body) => mapTexts(body, (text, name) => (name === "status" ? text.toLowerCase() : text)),
  },
  livemode: {
    body: (body, { url }) =>
      url.includes("/checkouts") && !body.error ? { ...body, livemode: false } : body,
  },
  no_organization_id: {
    body: (body, { url }) => (url.includes("/charges/") ? without("organization_id")(body) : body),
  },
  unix_times: {
    body: (body) =>
      mapTexts(body, (text, name) =>
        /_at$|^at$|_until$/.test(name) && Date.parse(text) ? Math.floor(Date.parse(text) / 1000) : text,
      ),
  },
  conflict_422: {
    status: (status, { url }) => (status === 400 && url.includes("/whitelabel") ? 422 : status),
  },
  message: {
    body: (body) =>
      mapTexts(body, (text, name) =>
        name === "message" && text === "Invalid API key" ? "No such key" : text,
      ),
  },
  provider_shown: {
    body: (body) => mapFields(body, (name, one) => [[name, name === "payment_provider" ? "acme" : one]]),
  },
  settled_later: fixtures({
    currencies: ["KES", "NGN", "GHS"].map((code) => ({ code, settlement_delay: "1d" })),
  }),
  hook_flat: { hook: ({ id, type, data }) => ({ id, type, ...data }) },
  list_without_total: { body: (body, { url }) => (url.includes("/payins?") ? without("total")(body) : body) },
  quote_renamed: {
    body: (body, { url }) => (url.endsWith("/quotes") ? renamed("quote_id", "id")(body) : body),
  },
};

const withHeader = (headers, from, to) =>
  new Headers([...headers].map(([name, value]) => [name === from ? to : name, value]));
const isQuote = ({ url }) => url.endsWith("/quotes");

/** Thirteen of still other kinds. */
export const FURTHER = {
  replay_header: {
    payouts: true,
    headers: (headers) => withHeader(headers, "idempotent-replayed", "idempotency-replayed"),
  },
  replay_conflict: {
    payouts: true,
    status: (status, { headers }) => (headers["idempotency-key"] && seenKey(headers) ? 409 : status),
    body: (body, { headers }) =>
      headers["idempotency-key"] && seenKeys.get(headers["idempotency-key"]) > 1
        ? { error: { code: "DUPLICATE", message: "Already processed" } }
        : body,
  },
  page_of_50: {
    answer: ({ url }) =>
      Number(new URL(url, "http://a").searchParams.get("limit")) > 50
        ? {
            error: {
              code: "VALIDATION_ERROR",
              message: "Invalid query parameters",
              details: { limit: "at most 50" },
            },
          }
        : undefined,
  },
  long_ids: {
    url: (url) => url.replace(/(ch_\w+?)00000000/, "$1"),
    body: (body) => mapTexts(body, (text) => text.replace(/^ch_\w+$/, "$&00000000")),
    hook: (event) => mapTexts(event, (text) => text.replace(/^ch_\w+$/, "$&00000000")),
  },
  absent_nulls: { body: (body) => mapFields(body, (name, one) => (one === null ? [] : [[name, one]])) },
  first_error: {
    body: (body) =>
      body?.error?.details
        ? {
            error: {
              ...body.error,
              details: Object.fromEntries(Object.entries(body.error.details).slice(0, 1)),
            },
          }
        : body,
  },
  created_event: {
    hook: (event) =>
      event.type === "charge.awaiting_payment"
        ? [
            {
              ...event,
              id: `${event.id}0`,
              type: "charge.created",
              data: { ...event.data, status: "PENDING" },
            },
            event,
          ]
        : event,
  },
  methods_reversed: {
    body: (body) =>
      Array.isArray(body?.payment_methods) && body.payment_methods[0]?.id !== undefined
        ? { ...body, payment_methods: body.payment_methods.toReversed() }
        : body,
  },
  rounds_down: {
    body: (body, request) =>
      isQuote(request) && body?.settlement_amount === "2.50"
        ? {
            ...body,
            amount: "2.58",
            fees: { total_fee: "0.08", fee_breakdown: { platform_fee: "0.02", gateway_fee: "0.06" } },
          }
        : body,
  },
  locked_five_minutes: { config: { limits: { quote_locked: "5m" } } },
  data_for_items: { body: (body) => (Array.isArray(body?.items) ? renamed("items", "data")(body) : body) },
  lower_case_currency: {
    body: (body) => mapTexts(body, (text, name) => (name === "currency" ? text.toLowerCase() : text)),
  },
  whole_envelope: {
    body: (body) => (body?.error === undefined && body !== undefined ? { data: body } : body),
  },
};

export const DISGUISES = { identical: {}, ...KNOWN, ...OTHERS, ...FURTHER };
