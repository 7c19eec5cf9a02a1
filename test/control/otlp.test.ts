import { expect, it } from "vitest";
import { type TracedHistory, toOtlpTrace } from "../../src/core/reports/otlp.js";
import { KES_ORDER, openSandbox } from "../support/api-client.js";
import { faultsOfTrace } from "../support/otlp.js";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

/** A charge whose receiver refuses the first webhook it gets, as a trace. */
async function traced(traceparent?: string) {
  const sandbox = await openSandbox();
  let heard = 0;
  await sandbox.onWebhook(() => (heard++ === 0 ? 503 : 200));
  const headers = {
    authorization: `Bearer ${sandbox.apiKey}`,
    "content-type": "application/json",
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const post = async (path: string, body: object) =>
    (
      await sandbox.fetch(`/api/v1/payments/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    ).json();
  const { quote_id } = await post("quotes", KES_ORDER);
  const customer = { customer_email: "ada@example.com", phone_number: "+254700000001" };
  const { charge_id } = await post("whitelabel", { ...KES_ORDER, ...customer, quote_id });
  await sandbox.advance("15s");
  const story = await sandbox.control<object>(`GET /_sandbox/charges/${charge_id}/timeline`);
  const charge = await sandbox.control<object>(`GET /_sandbox/charges/${charge_id}`);
  const trace = toOtlpTrace({ ...story, charge } as TracedHistory, "1.0.0");
  return { trace, spans: trace.resourceSpans[0]!.scopeSpans[0]!.spans };
}

it("a charge is a span below its caller's, its calls and webhooks are below it, and a collector takes it", async () => {
  const { trace, spans } = await traced(`00-${TRACE_ID}-${CALLER}-01`);
  expect(faultsOfTrace(trace)).toEqual([]);
  const [charge, ...below] = spans;
  expect(charge).toMatchObject({ name: "charge", traceId: TRACE_ID, parentSpanId: CALLER, kind: 1 });
  expect(charge).not.toHaveProperty("status");
  expect(charge!.startTimeUnixNano).toBe(below[0]!.startTimeUnixNano);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  for (const span of below) expect(span).toMatchObject({ traceId: TRACE_ID, parentSpanId: charge!.spanId });
  const { events } = charge as unknown as { events: { name: string }[] };
  expect(events.map(({ name }) => name).filter((name) => /^[A-Z]/.test(name))).toEqual([
    "PENDING",
    "AWAITING_PAYMENT",
    "PROCESSING",
    "COMPLETED",
  ]);
  expect(below.map(({ name, kind, ...span }) => [name, kind, "status" in span])).toEqual([
    ["POST createWhitelabel", 2, false],
    ["POST charge.awaiting_payment", 3, true],
    ["POST charge.processing", 3, false],
    ["POST charge.completed", 3, false],
    ["POST charge.awaiting_payment", 3, false],
  ]);
  expect(below[1]).toMatchObject({ status: { code: 2, message: "503" } });
  expect(below[1]!.attributes).toContainEqual({
    key: "http.response.status_code",
    value: { intValue: "503" },
  });
});

it("without a traceparent it is a trace of its own, and the same each time but for how long answers took", async () => {
  const [one, other] = [await traced(), await traced()];
  expect(faultsOfTrace(one.trace)).toEqual([]);
  expect(one.spans[0]).not.toHaveProperty("parentSpanId");
  const timeless = ({ spans }: typeof one) =>
    spans.map(({ endTimeUnixNano: _, ...span }) => ({ ...span, events: undefined }));
  expect(timeless(one)).toEqual(timeless(other));
});

it("what no collector takes is found", () => {
  const bad = {
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "a" }, spans: [{}] }] }],
  };
  expect(faultsOfTrace(bad).join()).toContain("traceId");
});
