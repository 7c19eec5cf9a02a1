import { type DocumentOperation, exampleOf, formatJson } from "./schema-markup.js";

/** Everything beside an operation that its example depends on. */
export interface ExampleContext {
  /** Operations that an example may call first. */
  readonly operations: readonly DocumentOperation[];
  readonly baseUrl: string;
  readonly apiKey: string;
  /** API key of calls of the control API; undefined if they need none. */
  readonly controlKey?: string;
}

/** An operation as POSIX shell commands, which run pasted one after the other. The call stops if it lacks an id. */
export interface CallExample {
  /** Calls that make the objects of the call. */
  readonly setup: readonly { readonly name: string; readonly command: string }[];
  readonly call: string;
}

/** Names in paths, by operation or collection. Examples revoke the key and the organization; no other uses them. */
const NAMES: Readonly<Record<string, string>> = {
  getScenario: "declined",
  activateScenario: "declined",
  deactivateScenario: "declined",
  "/_sandbox/failed-tests": "1",
  "/_sandbox/keys": "sk_test_other",
  "/_sandbox/mailboxes": "tests",
  "/_sandbox/namespaces": "example",
  "/_sandbox/organizations": "org_other",
  "/_sandbox/requests": "1",
  "/_sandbox/scenarios": "example",
  "/_sandbox/snapshots": "paid",
};

/** Operations called before an operation, once its ids are known. */
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
  getRequest: ["listPayins"],
  takeFromMailbox: ["createWebhookEndpoint", "createEvent"],
  refundCharge: ["advanceCharge"],
  refundPart: ["advanceCharge"],
  chargeBack: ["advanceCharge"],
  bounceWithdrawal: ["advanceClock"],
  retryDelivery: ["acknowledgeDelivery"],
};

/** The operation whose response has an object of an id. */
const SOURCES: Readonly<Record<string, string>> = {
  quote_id: "createQuote",
  charge_id: "createCheckout",
  checkout_id: "createCheckout",
  destination_id: "createDestination",
  withdrawal_id: "createWithdrawal",
  webhook_id: "createWebhook",
  fault_id: "createFault",
  delivery_id: "takeFromMailbox",
};

/** Fields added to the operations of `FIRST`. */
const ADDED: Readonly<Record<string, object>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the scenario
  runScenario: { vars: { amount: "1105.10" }, steps: [{ pay: { amount: "${amount}", until: "FAILED" } }] },
  bounceWithdrawal: { by: "1m", until: undefined },
  retryDelivery: { status: 500 },
};

const STATE_FILE = "state.json";

const HEADERS: Readonly<Record<string, string>> = {
  "Idempotency-Key": "rent-1-$DESTINATION_ID",
  "Sandbox-Run": "build-1042",
};

/** @param added fields of the body beside those of the document's example, or instead of them */
export function callExample(
  context: ExampleContext,
  operation: DocumentOperation,
  added?: object,
): CallExample {
  return { setup: setupOf(context, operation), call: curlOf(context, operation, "", added) };
}

function setupOf(context: ExampleContext, operation: DocumentOperation): CallExample["setup"] {
  const { operationId } = operation;
  const find = (name: string) => context.operations.find((one) => one.operationId === name)!;
  const step = ({ summary, path }: DocumentOperation, command: string) => {
    const isForeign = context.controlKey !== undefined && path.startsWith("/_sandbox/");
    const name = `${summary[0]!.toLowerCase()}${summary.slice(1)}${isForeign ? " (sandbox only)" : ""}`;
    return { name, command };
  };
  const sources = idsOf(operation).flatMap((id) => {
    const source = find(SOURCES[id]!);
    const found = `grep -o '"${id}": *"[^"]*"' |\n  head -n 1 | cut -d '"' -f 4`;
    const command = `${id.toUpperCase()}=$(${curlOf(context, source, " -sSf")} |\n  ${found})`;
    return [...setupOf(context, source), step(source, command)];
  });
  const first = (FIRST[operationId] ?? []).map(find).map((other) => {
    const flags = ` -sSf -o ${other.method === "GET" ? STATE_FILE : "/dev/null"}`;
    return step(other, curlOf(context, other, flags, ADDED[operationId]));
  });
  return [...sources, ...first];
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
  { baseUrl, apiKey, controlKey }: ExampleContext,
  operation: DocumentOperation,
  flags = "",
  added: object = {},
): string {
  const { operationId, method, path, security, parameters = [], requestBody } = operation;
  const ids = idsOf(operation);
  const filled = path.replace(
    /(.*?)\/\{(\w+)\}/g,
    (_all, before: string, id: string) =>
      `${before}/${nameIn(operationId, before) ?? `\${${id.toUpperCase()}:?}`}`,
  );
  const url = `"${baseUrl}${filled}"`;
  const start = `curl${flags}${method === "GET" ? "" : ` -X ${method}`}`;
  const lines = start === "curl" ? [`curl ${url}`] : [start, url];
  const key = /^\/(_sandbox|health)\b/.test(path) ? controlKey : apiKey;
  if (key !== undefined && security?.length !== 0) lines.push(`-H "Authorization: Bearer ${key}"`);
  for (const { name } of parameters)
    if (HEADERS[name] !== undefined) lines.push(`-H "${name}: ${HEADERS[name]}"`);
  const example = requestBody && { ...Object(exampleOf(requestBody)), ...added };
  if (operationId === "putState") lines.push('-H "Content-Type: application/json"', `-d @${STATE_FILE}`);
  else if (example !== undefined) {
    const body = formatJson(example, (name, value) => (ids.includes(name) ? `\0${name}` : value))
      .replaceAll("'", "'\\''")
      .replaceAll("\n", "\n  ")
      .replace(/\\u0000(\w+)/g, (_all, name: string) => `'\${${name.toUpperCase()}:?}'`);
    lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  }
  return lines.join(" \\\n  ");
}
