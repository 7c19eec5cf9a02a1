import { type DocumentOperation, exampleOf, formatJson } from "./schema-markup.js";

/** Everything beside an operation that its example depends on. */
export interface ExampleContext {
  /** Operations that an example may call first. */
  readonly operations: readonly DocumentOperation[];
  readonly baseUrl: string;
  /** API key of the examples; undefined if calls need none. */
  readonly apiKey: string | undefined;
}

/** Names in paths, by operation or collection. Examples revoke the key and the organization: no other example uses them. */
const NAMES: Readonly<Record<string, string>> = {
  getScenario: "declined",
  activateScenario: "declined",
  deactivateScenario: "declined",
  "/_sandbox/failed-tests": "1",
  "/_sandbox/keys": "sk_test_other",
  "/_sandbox/mailboxes": "tests",
  "/_sandbox/namespaces": "example",
  "/_sandbox/organizations": "org_other",
  "/_sandbox/scenarios": "example",
  "/_sandbox/snapshots": "paid",
};

/** Operations called before an operation. */
const FIRST: Readonly<Record<string, readonly string[]>> = {
  createWithdrawal: ["fundBalance"],
  getNamespace: ["putNamespace"],
  deleteNamespace: ["putNamespace"],
  restoreSnapshot: ["createSnapshot"],
  deleteSnapshot: ["createSnapshot"],
  putState: ["getState"],
  deleteScenario: ["putScenario"],
  runScenario: ["putScenario"],
  releaseLease: ["takeLease"],
  getFailedTest: ["keepFailedTest"],
  takeFromMailbox: ["createWebhookEndpoint", "createEvent"],
};

/** Fields added to the example of the operation before: only a scenario with steps can run. */
const ADDED: Readonly<Record<string, object>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the scenario
  runScenario: { vars: { amount: "1105.10" }, steps: [{ pay: { amount: "${amount}", until: "FAILED" } }] },
};

/** The id that the response of an operation begins with. */
const CREATED: Readonly<Record<string, string>> = {
  createQuote: "quote_id",
  createWhitelabel: "charge_id",
  createDestination: "destination_id",
  createWithdrawal: "withdrawal_id",
  createWebhook: "webhook_id",
  createWebhookEndpoint: "webhook_id",
  createFault: "fault_id",
  takeFromMailbox: "delivery_id",
};

/** Query that finds the object an operation needs. */
const FINDS: Readonly<Record<string, string>> = {
  transitionCharge: "status=PENDING",
  refundCharge: "status=COMPLETED",
  refundPart: "status=COMPLETED",
  chargeBack: "status=COMPLETED",
  bounceWithdrawal: "status=COMPLETED",
  transitionWithdrawal: "status=PENDING",
  payCheckout: "status=PENDING",
  cancelCheckout: "status=PENDING",
  retryDelivery: "failing=1",
};

const STATE_FILE = "state.json";

const HEADERS: Readonly<Record<string, string>> = {
  "Idempotency-Key": "rent-1-$DESTINATION_ID",
  "Sandbox-Run": "build-1042",
};

/** The call as POSIX shell commands, after those that make or find its objects, each under its summary. */
export function callExample(context: ExampleContext, operation: DocumentOperation): string {
  const call = `${guardOf(context, operation)}${curlOf(context, operation)}`;
  return [...preparationOf(context, operation), call].join("\n\n");
}

function preparationOf(context: ExampleContext, operation: DocumentOperation): string[] {
  const { operations } = context;
  const first = FIRST[operation.operationId] ?? [];
  return [
    ...first.map((name) => {
      const other = operations.find(({ operationId }) => operationId === name)!;
      const isForeign = context.apiKey !== undefined && other.path.startsWith("/_sandbox/");
      const flags = ` -s -o ${other.method === "GET" ? STATE_FILE : "/dev/null"}`;
      return `# ${isForeign ? "Sandbox only: " : ""}${other.summary}\n${curlOf(context, other, flags, ADDED[operation.operationId])}`;
    }),
    ...idsOf(operation).flatMap((id) => {
      const source = creationOf(context, operation, id) ?? listOf(context, operation, id);
      const found = `$(${curlOf(context, source, " -s")} |\n  grep -o '"${id}": *"[^"]*"' |\n  head -n 1 | cut -d '"' -f 4)`;
      return [...preparationOf(context, source), `# ${source.summary}\n${id.toUpperCase()}=${found}`];
    }),
  ];
}

function creationOf({ operations }: ExampleContext, { operationId }: DocumentOperation, id: string) {
  return FINDS[operationId] === undefined
    ? operations.find((other) => CREATED[other.operationId] === id)
    : undefined;
}

function listOf({ operations }: ExampleContext, { operationId, path }: DocumentOperation, id: string) {
  const collection = path.split(`/{${id}}`)[0]!.replace("checkouts", "charges");
  const list = operations.find((other) => other.method === "GET" && other.path === collection)!;
  return FINDS[operationId] === undefined ? list : { ...list, path: `${collection}?${FINDS[operationId]}` };
}

/** Stops an example that finds no object, with advice. */
function guardOf(context: ExampleContext, operation: DocumentOperation): string {
  const id = idsOf(operation).find((one) => creationOf(context, operation, one) === undefined);
  if (id === undefined) return "";
  const query = FINDS[operation.operationId];
  const [status] = /[A-Z]+/.exec(query ?? "") ?? [];
  const command = (words: string) => `npx payments-sandbox ${words} --url ${context.baseUrl}`;
  const create = command(status === "PENDING" ? "charge create --hosted" : "charge create");
  const advice: Readonly<Record<string, string>> = {
    charge_id: status === "COMPLETED" ? `${create}\n  ${command("charge last complete")}` : create,
    checkout_id: create,
    withdrawal_id: `${context.baseUrl}/docs#createWithdrawal${status === "COMPLETED" ? `\n  ${command("clock advance 1m")}` : ""}`,
    delivery_id: `${context.baseUrl}/_sandbox/docs#acknowledgeDelivery with status 500`,
  };
  const missing = `no ${id.replace("_id", "")}${query === undefined ? "" : ` with ${query}`}`;
  return `: "\${${id.toUpperCase()}:?${missing}; first:\n  ${advice[id]}\n  }" &&\n`;
}

/** Ids that a call needs, in its path and in the example of its body. */
function idsOf({ operationId, path, requestBody }: DocumentOperation): string[] {
  const inPath = [...path.matchAll(/(.*?)\/\{(\w+)\}/g)];
  const inBody = Object.keys(Object(exampleOf(requestBody)));
  return [
    ...inPath.flatMap(([, before, id]) => (nameIn(operationId, before!) === undefined ? [id!] : [])),
    ...inBody.filter((name) => /^(quote|destination)_id$/.test(name)),
  ];
}

function nameIn(operationId: string, collection: string): string | undefined {
  return NAMES[operationId] ?? NAMES[collection];
}

function curlOf(
  { baseUrl, apiKey }: ExampleContext,
  operation: DocumentOperation,
  flags = "",
  added: object = {},
): string {
  const { operationId, method, path, security, parameters = [], requestBody } = operation;
  const ids = idsOf(operation);
  const filled = path.replace(
    /(.*?)\/\{(\w+)\}/g,
    (_all, before: string, id: string) =>
      `${before}/${nameIn(operationId, before) ?? `$${id.toUpperCase()}`}`,
  );
  const url = `"${baseUrl}${filled}"`;
  const start = `curl${flags}${method === "GET" ? "" : ` -X ${method}`}`;
  const lines = start === "curl" ? [`curl ${url}`] : [start, url];
  if (apiKey !== undefined && security?.length !== 0) lines.push(`-H "Authorization: Bearer ${apiKey}"`);
  for (const { name } of parameters)
    if (HEADERS[name] !== undefined) lines.push(`-H "${name}: ${HEADERS[name]}"`);
  const example = requestBody && { ...Object(exampleOf(requestBody)), ...added };
  if (operationId === "putState") lines.push('-H "Content-Type: application/json"', `-d @${STATE_FILE}`);
  else if (example !== undefined) {
    const body = formatJson(example, (name, value) => (ids.includes(name) ? `\0${name}` : value))
      .replaceAll("'", "'\\''")
      .replaceAll("\n", "\n  ")
      .replace(/\\u0000(\w+)/g, (_all, name: string) => `'$${name.toUpperCase()}'`);
    lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  }
  return lines.join(" \\\n  ");
}
