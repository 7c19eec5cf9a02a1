import { beforeAll, describe, expect } from "vitest";
import { FIXED_SEED } from "../../src/core/schema/option-schemas.js";
import { ERROR_STATUS } from "../../src/core/schema/refusals.js";
import { openSandbox } from "../../src/library/opening.js";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { recordServiceExamples } from "../../src/server/openapi/service-examples.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { Api, KES_ORDER, okBody, openApi, START } from "../support/api-client.js";
import { it } from "../support/api-test.js";
import { temporaryFile } from "../support/folders.js";
import { schemaValidator } from "../support/openapi-answers.js";
import { type DescribedOperation, operationsOf } from "../support/openapi-document.js";

const ASSUMPTION = "x-sandbox-assumption";

let document: OpenApiDocument;
beforeAll(async () => {
  document = await served(await openApi());
});

/** Returns every object in the document with its path. */
function* parts(value: unknown, path = "#"): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [name, part] of Object.entries(value)) yield* parts(part, `${path}/${name}`);
}

async function served(api: Api, path = "/openapi.json"): Promise<OpenApiDocument> {
  return okBody(await api.get<OpenApiDocument>(path));
}

/** Returns the paths of branches that a type generator reads as any value. */
function branchesWithoutType(value: unknown, path = "#"): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    // Generators ignore conditions.
    if (["if", "then", "else", "not", "example", "examples"].includes(name)) return [];
    const branches = ["allOf", "anyOf", "oneOf"].includes(name) && Array.isArray(part) ? part : [];
    const found = branches.flatMap((branch, index) =>
      ["$ref", "type", "anyOf", "oneOf", "enum"].some((keyword) => keyword in branch)
        ? []
        : [`${path}/${name}/${index}`],
    );
    return [...found, ...branchesWithoutType(part, `${path}/${name}`)];
  });
}

describe.each(["/openapi.json", "/_sandbox/openapi.json"])("GET %s", (path) => {
  it("no schema has the name of a JavaScript global", async () => {
    const { schemas } = (await served(await openApi(), path)).components;
    expect(Object.keys(schemas).filter((name) => name in globalThis)).toEqual([]);
  });

  it("constants are enumerations, which all type generators know", async () => {
    const document = await served(await openApi(), path);
    expect([...parts(document)].filter(([, part]) => "const" in part).map(([at]) => at)).toEqual([]);
  });

  it("each branch of a schema has a type", async () => {
    expect(branchesWithoutType(await served(await openApi(), path))).toEqual([]);
  });

  it.each(["br", "gzip"])("the document is compressed with %s where it is accepted", async (encoding) => {
    const { url } = await (await openApi()).sandbox.listen();
    const get = (accepted: string) => fetch(url + path, { headers: { "accept-encoding": accepted } });
    const plain = await get("identity");
    const compressed = await get(`deflate, ${encoding};q=0.9`);
    expect(compressed.headers.get("content-encoding")).toBe(encoding);
    const text = await plain.text();
    expect(await compressed.text()).toBe(text);
    expect(Number(compressed.headers.get("content-length"))).toBeLessThan(text.length / 5);
    for (const refused of ["identity", "br;q=0, gzip;q=0.0"])
      expect((await get(refused)).headers.get("content-encoding")).toBeNull();
  });

  it("a request with the document's ETag gets 304 until the document changes", async ({ api }) => {
    const first = await api.get(path);
    const etag = first.headers.get("etag")!;
    const again = await api.transport(path, { headers: { "if-none-match": `"other", ${etag}` } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const other = await openApi({ publicUrl: "https://pay.shop.test" });
    const changed = await other.transport(path, { headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
    expect(first.headers.get("vary")).toBe("accept-encoding, authorization, sandbox-namespace");
  });

  it("the document contains the request's URL or the public URL", async () => {
    expect((await served(await openApi(), path)).servers).toMatchObject([{ url: "http://sandbox" }]);
    expect(
      (await served(await openApi({ publicUrl: "https://pay.shop.test/" }), path)).servers,
    ).toMatchObject([{ url: "https://pay.shop.test" }]);
  });

  it("the document is stable and needs no key", async ({ api }) => {
    const first = await api.as(null).get(path);
    expect(first.status).toBe(200);
    expect(first.headers.get("sandbox-now")).toBe(START);
    expect((await api.get(path)).text).toBe(first.text);
    expect((await api.get(path, { "sandbox-namespace": "nowhere" })).status).toBe(404);
    expect((await api.post(path, {})).status).toBe(405);
  });
});

/** Link of a response: what it gives to another operation. */
interface Link {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}
function linksOf({ responses }: DescribedOperation): Link[] {
  const { links = {} } = responses[200] as { links?: Readonly<Record<string, Link>> };
  return Object.values(links);
}

it.each([
  [
    "/openapi.json",
    {
      createQuote: ["createWhitelabel", "createCheckout"],
      createWhitelabel: ["getPayin", "getCharge"],
      createCheckout: ["getPayin", "getCharge"],
      createDestination: ["getDestination", "createWithdrawal"],
      createWithdrawal: ["getWithdrawal"],
      createWebhook: ["rotateWebhookSecret", "getWebhook", "updateWebhook", "deleteWebhook"],
    },
  ],
  [
    "/_sandbox/openapi.json",
    {
      createFault: ["getFault", "deleteFault"],
      createWebhookEndpoint: [
        "getWebhookEndpoint",
        "updateWebhookEndpoint",
        "retryReceiver",
        "deleteWebhookEndpoint",
      ],
      keepFailedTest: ["getFailedTest"],
    },
  ],
])("%s: what makes an id links to what takes it", async (path, expected) => {
  const linked = operationsOf(await served(await openApi(), path)).flatMap(({ operation }) => {
    const links = linksOf(operation);
    return links.length === 0 ? [] : [[operation.operationId, links.map(({ operationId }) => operationId)]];
  });
  expect(Object.fromEntries(linked)).toEqual(expected);
});

it("a link's values are found in the response, and its operation accepts them", async () => {
  const operations = operationsOf(document);
  let followed = 0;
  for (const { operation, path, method } of operations)
    for (const { operationId, parameters = {}, requestBody = {} } of linksOf(operation)) {
      const api = await openApi({ seed: FIXED_SEED, scenario: "instant" });
      const body = (one: DescribedOperation) =>
        Object.values(one.requestBody?.content["application/json"].examples ?? {})[0]?.value as object;
      // The examples before it make the records that the call needs.
      for (const earlier of operations.slice(
        0,
        operations.findIndex((one) => one.operation === operation),
      ))
        if (earlier.method === "POST" && !earlier.path.includes("{"))
          okBody(await api.ask(`POST ${earlier.path}`, body(earlier.operation)));
      const made = okBody(await api.ask(`${method} ${path}`, body(operation))) as Record<string, unknown>;
      const valueAt = (expression: string) => made[expression.replace("$response.body#/", "")];
      const target = operations.find((one) => one.operation.operationId === operationId)!;
      const filled = target.path.replace(/{(\w+)}/g, (_, name: string) => String(valueAt(parameters[name]!)));
      const given = Object.entries(requestBody).map(([name, expression]) => [name, valueAt(expression)]);
      expect(given.map(([, value]) => typeof value)).toEqual(given.map(() => "string"));
      const sent = { ...body(target.operation), ...Object.fromEntries(given) };
      const answer = await api.ask(`${target.method} ${filled}`, target.operation.requestBody && sent);
      expect([operation.operationId, operationId, answer.text, answer.status]).toEqual([
        operation.operationId,
        operationId,
        answer.text,
        200,
      ]);
      followed++;
    }
  expect(followed).toBe(13);
});

it("the service document has a response for any server error of each operation", () => {
  for (const { operation } of operationsOf(document))
    expect(operation.responses).toHaveProperty(["5XX"], { $ref: "#/components/responses/ServerError" });
});

it("the service document has exactly the operations of the service", () => {
  const described = operationsOf(document).map(
    ({ path, method, operation }) => `${operation.operationId} ${method} ${path}`,
  );
  const routed = OPERATIONS.map(
    ({ id, method, path }) => `${id} ${method} ${path.replace(/:(\w+)/g, "{$1}")}`,
  );
  expect(described.sort()).toEqual(routed.sort());
});

it("the service document names no condition of the sandbox's storage", () => {
  expect(JSON.stringify(document).match(/STORAGE_AWAY|StorageAway|database/i)).toBeNull();
  for (const { operation } of operationsOf(document)) expect(operation.responses).not.toHaveProperty("503");
});

it("the service document has an example of every error", () => {
  for (const { operation } of operationsOf(document))
    for (const [status, response] of Object.entries(operation.responses)) {
      if ("$ref" in response) continue;
      const { examples } = response.content!["application/json"];
      expect(examples, `${operation.operationId} ${status}`).not.toEqual({});
      if (status !== "200")
        for (const { value } of Object.values(examples)) {
          const { code } = (value as { error: { code: keyof typeof ERROR_STATUS } }).error;
          expect(String(ERROR_STATUS[code]), `${operation.operationId} ${code}`).toBe(status);
        }
    }
});

it("reading the service document does not change the namespace", () => {
  expect(JSON.stringify(document).includes("{{")).toBe(false);
});

it("the service document has the same examples each time", async () => {
  const play = async () => {
    const { sandbox } = await openApi();
    return recordServiceExamples((request) => sandbox.fetch(request));
  };
  expect(await play()).toEqual(await play());
});

it("the service document describes each assumption where it is marked", () => {
  const assumptions = [...parts(document)].filter(([, part]) => ASSUMPTION in part);
  expect(assumptions.length).toBeGreaterThan(200);
  for (const [path, part] of assumptions) expect(part[ASSUMPTION], path).toMatch(/\w{3}.*[.)]$/);
});

it("the service document marks unspecified fields as assumed", () => {
  const assumed = operationsOf(document)
    .filter(({ operation }) => ASSUMPTION in operation)
    .map(({ operation }) => operation.operationId);
  for (const { operationId } of operationsOf(document).map(({ operation }) => operation))
    if (/Destination|Withdrawal|Webhook|PaymentRails|PayoutCurrencies/.test(operationId))
      expect(assumed).toContain(operationId);
  for (const shown of ["createWhitelabel", "listPayins", "getBalances", "listSupportedCurrencies"])
    expect(assumed).not.toContain(shown);
  for (const [name, { post }] of Object.entries(document.webhooks))
    expect(post, name).toHaveProperty([ASSUMPTION]);
});

/** Fields that the interface specifies, by schema. */
const SHOWN: Readonly<Record<string, string>> = {
  Pricing: "base_currency amount local_pricing",
  QuoteRequest: "pricing payment_method to_currency customer_email",
  Quote: "quote_id amount currency exchange_rate expires_at fees",
  WhitelabelRequest:
    "pricing customer_email customer_name quote_id payment_method phone_number bank_account_number success_url cancel_url metadata expires_in_minutes",
  WhitelabelResult:
    "checkout_id charge_id status amount currency payment_method payment_provider provider_reference payment_instructions expires_at created_at",
  CheckoutRequest: "pricing customer_email metadata expires_in_minutes",
  Checkout: "",
  PayinSummary:
    "charge_id checkout_id organization_id amount currency status payment_provider provider_reference created_at updated_at",
  Charge:
    "charge_id checkout_id organization_id amount currency status payment_provider provider_reference created_at updated_at metadata fees status_history settlement_amount",
  Organization: "enabled_payment_methods",
  Withdrawal: "",
};

it.each(Object.entries(SHOWN))(
  "the service document marks the unspecified fields of %s as assumed",
  (name, shown) => {
    const { properties } = document.components.schemas[name] as { properties: Record<string, object> };
    const unmarked = Object.entries(properties).flatMap(([field, schema]) =>
      ASSUMPTION in schema || shown.split(" ").includes(field) ? [] : [field],
    );
    expect(unmarked).toEqual([]);
  },
);

it("the service document marks the amount of a payin without a method as assumed", () => {
  const { properties } = document.components.schemas.PayinSummary as { properties: Record<string, object> };
  for (const field of ["amount", "currency"]) expect(properties[field]).toHaveProperty([ASSUMPTION]);
});

it("the service document describes every field, parameter and header", () => {
  const silent = [...parts(document.components.schemas)].flatMap(([path, { properties }]) =>
    path.split("/").length > 2 || properties === undefined
      ? []
      : Object.entries(properties as Record<string, { description?: unknown }>)
          .filter(([, property]) => typeof property.description !== "string")
          .map(([name]) => `${path}/${name}`),
  );
  expect(silent).toEqual([]);
  for (const { operation } of operationsOf(document))
    for (const parameter of operation.parameters ?? [])
      expect(parameter).toHaveProperty("description", expect.stringMatching(/\w/));
});

it("the service document uses configured names", async () => {
  await using sandbox = await openSandbox({
    paths: { getBalances: "/v2/balances", getCharge: "/v2/charges/{charge_id}" },
    event_names: { "charge.completed": "payment.successful" },
    error_codes: { UNAUTHORIZED: "BAD_KEY" },
  });
  const told = await served(new Api(sandbox));
  expect(told.paths["/v2/balances"]).toHaveProperty("get.operationId", "getBalances");
  expect(told.paths["/v2/charges/{charge_id}"]).toHaveProperty("get.parameters.0.name", "charge_id");
  expect(told.paths).not.toHaveProperty(["/api/v1/accounts/balances"]);
  expect(told.webhooks).toHaveProperty(["payment.successful"]);
  expect(told.webhooks).not.toHaveProperty(["charge.completed"]);
  expect(JSON.stringify(told.components.responses.Unauthorized)).toContain("BAD_KEY");
});

const YEN = {
  currencies: [
    { code: "JPY", type: "fiat", name: "Yen", decimals: 0, rate: "150", minimum_withdrawal: "1000" },
  ],
  methods: [
    {
      id: "konbini",
      display_name: "Konbini",
      icon: "shop",
      description: "Pay at a shop",
      type: "fiat",
      enabled_by_default: true,
      currencies: ["JPY"],
      kind: "mobile_money",
      fees: { platform_percent: "1", gateway_percent: "2" },
    },
  ],
  organizations: [{ organization_id: "org_sandbox", enabled_payment_methods: ["konbini", "card"] }],
};

it("the document contains the user's fixtures", async () => {
  const fixtures = temporaryFile("fixtures.json", JSON.stringify(YEN));
  const api = await openApi({ fixtures });
  const told = await served(api);
  const validatorAt = schemaValidator(told);
  const order = { pricing: { base_currency: "JPY", amount: "500" }, payment_method: "konbini" };
  expect(validatorAt("#/components/schemas/Quote")(await api.quote(order))).toBe(true);
  const body = { ...order, customer_email: "ada@shop.test", quote_id: "qt_none" };
  expect(validatorAt("#/components/schemas/WhitelabelRequest")(body)).toBe(false);
  expect((await api.tryWhitelabel(body)).details).toHaveProperty("phone_number");
  const methods = await api.get("/api/v1/payments/payment-methods");
  expect(validatorAt("#/components/schemas/PaymentMethodList")(methods.body)).toBe(true);
  expect(JSON.stringify(told.components.schemas.Pricing)).toContain("JPY");
});

const schemaOf = (type: string) => `#/webhooks/${type}/post/requestBody/content/application~1json/schema`;

it("the webhooks section describes all events", async () => {
  const api = await openApi({ scenario: "success" });
  const { charge_id } = await api.pay();
  await api.pay({ customer_email: "ben@shop.test" });
  okBody(await api.advance({ by: "10s" }));
  okBody(await api.transition(charge_id, { to: "REFUNDED" }));
  for (const to of ["FAILED", "CANCELLED", "EXPIRED"])
    okBody(await api.transition((await api.pay()).charge_id, { to }));
  const destination = okBody(
    await api.post<{ destination_id: string }>("/api/v1/payouts/destinations", {
      type: "mobile_money",
      currency: "KES",
      phone_number: KES_ORDER.phone_number,
      provider: "SimbaPesa Sandbox",
    }),
  );
  okBody(
    await api.post("/api/v1/payouts/withdrawals", { ...destination, amount: "500.00", currency: "KES" }),
  );
  okBody(await api.advance({ by: "10s" }));
  const events = api.sandbox.snapshot().collections.events.map(([, { type, body }]) => ({ type, body }));
  expect(new Set(events.map(({ type }) => type)).size).toBe(9);
  const validatorAt = schemaValidator(document);
  for (const { type, body } of events) {
    const validate = validatorAt(schemaOf(type));
    expect([type, validate(JSON.parse(body)), validate.errors]).toEqual([type, true, null]);
  }
});

it("the webhooks section distinguishes types of events", () => {
  const validate = schemaValidator(document)(schemaOf("charge.failed"));
  type Documented = { requestBody: { content: { "application/json": { example: object } } } };
  const example = (type: string) =>
    (document.webhooks[type]!.post as Documented).requestBody.content["application/json"].example;
  expect(validate(example("charge.failed"))).toBe(true);
  expect(validate(example("charge.completed"))).toBe(false);
});
