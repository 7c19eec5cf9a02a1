import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, expectError, expectInvalid } from "../support/api-client.js";
import { countCommits } from "../support/commits.js";
import { schemaValidator } from "../support/openapi-answers.js";
import { type Furnished, fillPath, furnish, goodBodies, goodCalls } from "./support/good-input.js";
import { checkForm, type Fields, ROWS, type Row } from "./support/rows.js";
import { AT_LIMITS, NO_OBJECTS, PARAMETER_TEXTS, WRONG } from "./support/values.js";

/** Reasons for a 400 that JSON Schema cannot express. */
const BEYOND_SCHEMAS = new RegExp(
  [
    "must be one of|decimals in|does not (match|suit)|is not (available|the id)|Quote expired|is zero in|no scenario|bytes in all",
    "must be at least|must be [A-Z0-9]+ for|is not a (rail|currency|payment method)|absolute http|http or https URL",
    "at most 10m|ISO 8601|must be the name in the path|collections\\.namespace|is required for|is not for a mailbox",
    "there is no (operation|payment method|currency)|unknown field|contradicts the mode|is an unknown event type",
    "\\(row \\d+\\)|is not an existing date or time|must be a decimal string|has no such variable|at least 16 bytes",
    "must be less than the|must not be earlier|is too long|needs an action|There is not enough",
  ].join("|"),
);

/** Operation → field by which a body is of one kind; the service checks the fields of the other kinds too. */
const KINDS: Readonly<Record<string, string>> = { createDestination: "type" };

/** Field → other fields that the error may name instead. */
const DEPENDENT_FIELDS: Readonly<Record<string, RegExp>> = {
  "pricing.base_currency": /^pricing$/,
  "pricing.amount": /^pricing$/,
  "pricing.local_pricing": /^pricing$/,
  payment_method: /^(to_currency|bank_account_number)$/,
  metadata: /^sandbox_scenario$/,
  currency: /^type$/,
  type: /^(bank_code|account_number|account_name|phone_number|provider|wallet_address)$/,
  mailbox: /^url$/,
  error: /^status$/,
  rates: /^([A-Z]{3}|length)$/,
};

let world: Furnished;
/** The state of `world`, as an import. */
let state: string;
beforeAll(async () => {
  world = await furnish();
  state = (await world.api.get("/_sandbox/state")).text;
});

const stateText = () => JSON.stringify(world.api.sandbox.snapshot().collections);

/** Calls that need no cleanup before the next case. */
const KEEPS_RECORDS =
  /^(list|get|wait|reconcile|keep|set|create(Quote|Whitelabel|Checkout|Destination|Fault)$)/;

/** Undoes a call before the next case. */
async function undo({ id }: Row, { text }: Answer<unknown>): Promise<void> {
  if (/^(create|put)Namespace$/.test(id))
    await world.api.send("DELETE", `/_sandbox/namespaces/${JSON.parse(text).name}`);
  else if (!KEEPS_RECORDS.test(id)) await world.api.send("PUT", "/_sandbox/state", state);
}

async function send(row: Row, path: string, body: unknown = undefined): Promise<Answer<unknown>> {
  const { headers } = goodCalls(row, world)[0]!;
  return checkForm(await world.api.ask(`${row.method} ${path}`, body, headers));
}

/** A valid body with one field replaced. */
interface Variant {
  readonly field: string;
  readonly label: string;
  readonly body: Fields;
}

function* variantsOf(row: Row): Generator<Variant> {
  for (const good of goodBodies(row, world) as Fields[]) {
    for (const field of new Set([...Object.keys(good), ...row.body!.fields]))
      for (const [label, value] of valuesOf(field)) yield { field, label, body: { ...good, [field]: value } };
    if ("pricing" in good)
      for (const name of ["base_currency", "amount", "local_pricing"])
        for (const [label, value] of valuesOf(name)) {
          const pricing = { ...(good.pricing as Fields), [name]: value };
          yield { field: `pricing.${name}`, label, body: { ...good, pricing } };
        }
  }
}

/** True if an example of the body's kind has the field. */
function isOfKind({ id, body }: Row, sent: Fields, field: string): boolean {
  const kind = KINDS[id]!;
  return body!.examples.some((example) => example[kind] === sent[kind] && field in example);
}

function valuesOf(field: string): [label: string, value: unknown][] {
  const wrong = Object.entries(WRONG).flatMap(([label, values]) => values.map((value) => [label, value]));
  return [...wrong, ...(AT_LIMITS[field] ?? []).map((value) => [labelOf(value), value])] as [
    string,
    unknown,
  ][];
}

/** Formats a value as JSON, with long repetitions shortened. */
function labelOf(value: unknown): string {
  return shorten(JSON.stringify(value));
}

function shorten(text: string): string {
  return text.replace(/([^\d])\1{30,}/gu, (run, character) => `${character} × ${[...run].length}`);
}

function outcomeOf({ status, text }: Answer<unknown>): string {
  if (status === 200) return "200";
  const { code, details } = JSON.parse(text).error;
  if (details === undefined) return `${status} ${code}`;
  const reasons = Object.entries(details).map((pair) => pair.join(" "));
  return shorten(reasons.join("; "))
    .replace(/(known: )[\w, ]+/, "$1…")
    .slice(0, 300);
}

/** Outcome → values → operations, for the snapshot. */
const outcomes = new Map<string, string[]>();

function note({ name }: Row, field: string, byOutcome: ReadonlyMap<string, Set<string>>): void {
  const lines = [...byOutcome].map(([outcome, labels]) => `  ${outcome}: ${[...labels].join(", ")}`);
  const block = [field, ...lines].join("\n");
  outcomes.set(block, [...(outcomes.get(block) ?? []), name]);
}

function add(byOutcome: Map<string, Set<string>>, outcome: string, label: string): void {
  byOutcome.set(outcome, (byOutcome.get(outcome) ?? new Set()).add(label));
}

const LOOKUPS = ROWS.filter(({ method, pathParameters }) => method !== "PUT" && pathParameters.length > 0);

describe.each(LOOKUPS)("path of $name", (row) => {
  it("an unknown id in the path returns 404 and changes nothing", async () => {
    const before = stateText();
    for (const id of ["x", "__proto__", "constructor", "x".repeat(300), "%", "..", "a/b"]) {
      const answer = await send(row, fillPath(row, world, id), goodBodies(row, world)[0]);
      if (answer.status !== 400) expectError(answer, 404, "NOT_FOUND", []);
      else expectInvalid(answer, "name");
    }
    if (before !== undefined) expect(stateText()).toBe(before);
  });
});

describe.each(ROWS)("query of $name", (row) => {
  const path = () => fillPath(row, world);
  const body = () => goodBodies(row, world)[0];
  /** Parameters whose valid values depend on the records. */
  const LOOKED_UP = ["since", "metadata", "type", "operation", "method", "namespace"];

  it("a query that the OpenAPI document does not allow returns 400 with the parameter [R23.4 R23.6 R23.11 R30.7]", async () => {
    for (const { name, schema } of row.query) {
      if (LOOKED_UP.includes(name)) continue;
      const validate = schemaValidator({ parameter: schema })("#/parameter");
      const found = new Map<string, Set<string>>();
      for (const text of PARAMETER_TEXTS) {
        const value = schema.type === "integer" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
        const answer = await send(row, `${path()}?${name}=${encodeURIComponent(text)}`, body());
        const isBeyond = answer.status === 400 && BEYOND_SCHEMAS.test(outcomeOf(answer));
        if (!isBeyond) expect([name, text, answer.status]).toEqual([name, text, validate(value) ? 200 : 400]);
        if (answer.status === 400) {
          expectInvalid(answer, name);
          expect(answer.error.message).toBe("Invalid query parameters");
        } else await undo(row, answer);
        add(found, outcomeOf(answer), answer.status === 400 ? "any other text" : JSON.stringify(text));
      }
      if (found.size > 1) note(row, `?${name}`, found);
      const repeated = await send(row, `${path()}?${name}=1&${name}=1`, body());
      expect([name, repeated.details]).toEqual([name, { [name]: "must be given once" }]);
    }
  });

  it("the control API refuses unknown query parameters, and the service ignores them [R20.4 R21.2 R31.5]", async () => {
    const { headers } = goodCalls(row, world)[0]!;
    const answer = await world.api.ask(`${row.method} ${path()}?nobody=1`, body(), headers);
    if (row.isService || row.id === "getHealth") expect(answer.status).toBe(200);
    else {
      expectInvalid(answer, "nobody");
      expect(answer.details.nobody).toMatch(row.query.length === 0 ? /: there are none$/ : /; known: /);
    }
    if (answer.status === 200) await undo(row, answer);
  });
});

const READS_BODY = ROWS.filter(({ isService, method, body }) =>
  isService ? body !== undefined : method !== "GET",
);

describe.each(READS_BODY)("text of the body of $name", (row) => {
  it("a body that is not a JSON object returns 400 and changes nothing", async () => {
    const before = stateText();
    for (const text of NO_OBJECTS) expectInvalid(await send(row, fillPath(row, world), text), "body");
    if (before !== undefined) expect(stateText()).toBe(before);
  });
});

const goodFields = ({ body }: Row) => Object.keys(body!.examples[0]!);

describe.each(ROWS.filter(({ body }) => body !== undefined))("fields of $name", (row) => {
  it("a body that the OpenAPI document does not allow returns 400 with the field [R1.4 R2.2 R2.4 R3.9 R5.1 R5.2 R5.3 R5.4 R12.2 R13.1 R13.2 R13.5 R22.5 R22.12 R22.14 R22.17 R25.1 R29.2 R30.5 R30.6 R30.8]", async () => {
    const differences: string[] = [];
    const found: Record<string, Map<string, Set<string>>> = {};
    let before: string | undefined = stateText();
    let commits = countCommits();
    for (const { field, label, body } of variantsOf(row)) {
      // Nothing matches, so the wait would last until its timeout.
      const sent = row.id === "waitFor" && !("timeout" in body) ? { ...body, timeout: "1ms" } : body;
      const answer = await send(row, fillPath(row, world), sent);
      const outcome = outcomeOf(answer);
      add((found[field] ??= new Map()), outcome, label);
      const differs = (what: string) => differences.push(`${field}, ${label}: ${what}; ${outcome}`);
      if (answer.status >= 500) differs("server error");
      const isAccepted = row.body!.accepts(JSON.parse(JSON.stringify(sent)));
      if (answer.status !== 400) {
        // The parser drops `__proto__` before the value is checked.
        if (!isAccepted && label !== "{ __proto__: 1 }") differs("the document refuses it");
        if (answer.status === 200) {
          await undo(row, answer);
          before = undefined;
          commits = countCommits();
        }
        continue;
      }
      const isOfOtherKind = KINDS[row.id] !== undefined && !isOfKind(row, sent, field);
      const isBeyond = isOfOtherKind || BEYOND_SCHEMAS.test(outcome);
      if (isAccepted && !isBeyond && answer.error.code === "VALIDATION_ERROR")
        differs("the document accepts it");
      for (const name of Object.keys(answer.details)) {
        const isNamed = name === field || name.startsWith(`${field}.`) || DEPENDENT_FIELDS[field]?.test(name);
        if (!isNamed && (row.isService || name !== "body")) differs(`names ${name}`);
      }
      if (countCommits() !== commits) differs("changed the state");
    }
    if (before !== undefined) expect(stateText()).toBe(before);
    expect(differences).toEqual([]);
    for (const [field, byOutcome] of Object.entries(found)) note(row, field, byOutcome);
  });

  it("the control API refuses unknown fields, and the service ignores them", async () => {
    const answer = await send(row, fillPath(row, world), { ...goodBodies(row, world)[0], nobody: 1 });
    if (row.isService) expect(answer.status).toBe(200);
    else if (row.id === "setRates") expect(answer.status).toBe(400);
    else expectInvalid(answer, "nobody");
    if (answer.status === 200) await undo(row, answer);
  });

  if (row.isService)
    it("a null optional field has the same effect as an absent one", async () => {
      const [good] = goodBodies(row, world) as [Fields];
      const optional = row.body!.fields.filter((field) => row.body!.accepts({ ...good, [field]: null }));
      const texts: string[] = [];
      for (const value of [undefined, null]) {
        const { api, ...others } = await furnish();
        const body = { ...good, ...Object.fromEntries(optional.map((field) => [field, value])) };
        const { status, text } = await api.ask(`${row.method} ${fillPath(row, { api, ...others })}`, body);
        texts.push(`${status} ${text}`);
      }
      expect(texts[1]).toBe(texts[0]);
    });

  if (goodFields(row).length > 0)
    it("the error names all invalid fields [R16.2]", async () => {
      const [good] = goodBodies(row, world) as [Fields];
      const fields = goodFields(row);
      const wrong = Object.fromEntries(
        fields.map((field) => [field, typeof good[field] === "boolean" ? 1 : true]),
      );
      expectInvalid(await send(row, fillPath(row, world), wrong), ...fields);
    });
});

it("each invalid value returns the expected message", async () => {
  const blocks = [...outcomes].map(([block, names]) => `${names.join(", ")}: ${block}`);
  await expect(`${blocks.join("\n\n")}\n`).toMatchFileSnapshot("./outcomes.txt");
});
