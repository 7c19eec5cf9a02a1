import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript/unstable/ast";
import { expect, expectTypeOf, it } from "vitest";
import type * as z from "zod/mini";
import type { stateDumpSchema } from "../../src/core/schema/control-requests.js";
import type { SandboxState } from "../../src/library/library-options.js";
import { CONTROL_OPERATIONS } from "../../src/server/control/operations.js";
import { Project } from "../support/packed.js";
import { parse } from "../support/syntax.js";
import { installSet } from "../support/test-packages.js";
import { typeComplaints } from "../support/typecheck.js";

/** A user's code; marked lines must not compile. */
const USE = `
async function use(): Promise<void> {
  const options: SandboxOptions = { clock: "manual", webhooks: ["localhost:3000", { mailbox: "m", signature: "stripe" }] };
  await using sandbox = await createSandbox(options);
  const status: number = (await sandbox.fetch("/health")).status;
  const from: string = (await sandbox.advance("30m")).from;
  const reached: ChargeStatus = (await sandbox.transition("ch_1", "COMPLETED")).status;
  using heard = await sandbox.onWebhook(async (request: Request) => void (await request.json()), { events: ["*"] });
  await sandbox.onWebhook(() => new Response());
  await sandbox.onWebhook((request) => (request.method === "POST" ? 200 : undefined), { signature: { header: "x", algorithm: "sha256", encoding: "hex" } });
  // @ts-expect-error a receiver answers no text
  sandbox.onWebhook(() => "ok");
  // @ts-expect-error there is no such preset
  sandbox.onWebhook(() => 200, { signature: "paypal" });
  // @ts-expect-error there is no such status
  sandbox.transition("ch_1", "PAID");
  // @ts-expect-error the clock is a text
  await createSandbox({ clock: 60 });
  for (const clock of ["real", "manual", "60x", "0.5x"] as const) await createSandbox({ clock });
  // @ts-expect-error there is no such clock
  await createSandbox({ clock: "manul" });
  // @ts-expect-error a speed is a number and x
  await createSandbox({ clock: "fastx" });
  await sandbox.run("createQuote", { pricing: { base_currency: "KES", amount: "19.99" }, payment_method: "card" });
  // @ts-expect-error there is no such operation
  await createSandbox({ paths: { createQoute: "/quotes" } });
  // @ts-expect-error there is no such error code
  await createSandbox({ errorCodes: { NOT_FUOND: "gone" } });
  const ids: (string | number)[] = sandbox.snapshot().collections.charges.map(([id]) => id);
  // @ts-expect-error what stands in a record is the sandbox's own affair, and not any
  const wrong: number = sandbox.snapshot().collections.scenarios[0]![1].scenario;
  const caught: ErrorCode = new SandboxError(undefined as never).code;
  // @ts-expect-error there is no such code
  const no: boolean = new SandboxError(undefined as never).code === "NO_SUCH_CODE";
  await sandbox.restore(sandbox.snapshot());
  const { total }: { total: number } = await sandbox.control("GET", "/_sandbox/events");
  const { findings }: { findings: readonly { kind: string; row: number | null }[] } = await sandbox.reconcile([{ charge_id: "ch_0", status: "paid" }], { statuses: { BEZAHLT: "paid" } });
  // @ts-expect-error there is no such meaning
  await sandbox.reconcile([], { statuses: { BEZAHLT: "yes" } });
  await sandbox.control("POST /_sandbox/faults", { drop: "before" });
  const { fired_total }: { fired_total: number } = await sandbox.run("advanceClock", { by: "1m", wait: "1s" });
  const named: string | undefined = (await sandbox.run("listCharges", { limit: 5 + fired_total })).items[0]?.charge_id;
  await sandbox.run("listCharges", { status: "PARTLY_REFUNDED" });
  // @ts-expect-error there is no such status
  await sandbox.run("listCharges", { status: "PAID" });
  // @ts-expect-error there is no such operation
  await sandbox.run("advanceClok", { by: "1m" });
  // @ts-expect-error a file is no operation
  await sandbox.run("flow.yaml");
  const { passed: isOrderPaid, steps: [step] }: RunReport = await sandbox.runFile("flow.yaml", { app: "http://localhost:3000", vars: { email: "a@b.test" } });
  // @ts-expect-error there is no such option
  await sandbox.runFile("flow.yaml", { var: {} });
  const { outcome, findings: [fault] }: WebhookReport = await sandbox.checkWebhook("localhost:3000/webhooks", { timeout: "2s" });
  if (isOrderPaid && outcome === "passed") console.log(step?.title, fault?.advice);
  // @ts-expect-error there is no such status
  await sandbox.run("transitionCharge", { charge_id: named ?? "", to: "PAID" });
  const { findings: [found], complete_depth, singles, passed }: ExploreReport = await sandbox.explore("flow.yaml", { app: "http://localhost:3000", depth: 1, budget: "30s", save: "found", onRun: (runs: number, soFar: number) => void (runs + soFar) });
  const kind: DeviationKind | undefined = found?.deviations[0]?.kind;
  if (found?.oracle === "money" && kind === "webhook_twice" && complete_depth > 0 && !passed) found.story?.failing.join(singles[0]?.outcome);
  // @ts-expect-error the app has to be said
  await sandbox.explore("flow.yaml", { depth: 2 });
  const flow: ExploreFlow = { see: { order: ({ id, email }) => [id, email] }, tick: () => 1, async flow({ id, email, press, pay, cancel, advance }) { const { checkout_id } = await press("order", async () => ({ checkout_id: id + email })); await pay({ checkout_id, payment_method: "card" }); await cancel({ checkout_id }); await advance("1h"); } };
  const { passed: isSilent }: ExploreReport = await sandbox.explore(flow, { depth: 1, only: "webhook_twice at charge.completed#1", throws: false }).catch((error: ExploreError) => error.report);
  if (isSilent) await sandbox.explore(flow);
  // @ts-expect-error a flow in this process is at no URL
  await sandbox.explore(flow, { app: "http://localhost:3000" });
  // @ts-expect-error there is no such oracle
  if (found?.oracle === "luck") return;
  // @ts-expect-error a path is a text
  await sandbox.control("GET", 7);
  const client: typeof fetch = sandbox.fetch as typeof fetch;
  await sandbox.onWebhook(async (request) => {
    const event = (await request.json()) as WebhookEvent;
    if (event.type === "charge.completed") return void (event.data.charge_id satisfies string);
    // @ts-expect-error a withdrawal has no charge, nor has whatever tries a receiver
    const paid: string = event.data.charge_id;
    // @ts-expect-error there is no such type
    if (event.type === "charge.complete") return;
    if (event.type === "withdrawal.failed") event.data.failure_reason satisfies string | null;
    return void paid;
  });
  const { payment_instructions: how } = await sandbox.transition("ch_1", "COMPLETED");
  // @ts-expect-error only a bank transfer has an account
  const account: string | undefined = how?.account_number;
  const phone: string = how?.type === "mobile_money" ? how.phone_number : (how?.instructions ?? "");
  console.log(account, phone, status, from, reached, heard, ids, wrong, caught, no, total, findings, client, UserError.name);
}
const own = setupSandbox({ listen: false, clock: "real", server: false });
const given: TestSandbox = setupSandbox({ hooks: nodeTest });
// @ts-expect-error a charge is required
own.run("getCharge");
// @ts-expect-error there is no such operation
own.run("advanceClok");
own.run("advanceClock", { by: "1m" }).then(({ to }) => to satisfies string);
own.runFile("flow.yaml", { app: "http://localhost:3000" }).then(({ passed }) => passed satisfies boolean);
own.checkWebhook("localhost:3000/webhooks").then(({ findings: [found] }) => found?.title);
// @ts-expect-error hooks are functions
setupSandbox({ hooks: { beforeEach: 1 } });
export const all = [use, own.advance("1h"), given.onWebhook(() => 204), own.control<{ total: number }>("GET /_sandbox/events").then(({ total }) => total), own.snapshot().then((state) => own.restore(state)), own.control("GET", "/_sandbox/events"), own.explore({ see: { order: () => 1 }, flow: () => {} }), own.explore("flow.yaml", { app: own.url }).then(({ findings }) => findings)];
`;
const IMPORTS = `
import * as nodeTest from "node:test";
import { type ChargeStatus, createSandbox, type DeviationKind, type ErrorCode, type ExploreError, type ExploreFlow, type ExploreReport, type RunReport, SandboxError, type SandboxOptions, UserError, type WebhookEvent, type WebhookReport } from "payments-sandbox";
import { setupSandbox, type TestSandbox } from "payments-sandbox/testing";
`;
const config = (options: object) =>
  JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      lib: ["ES2022", "ESNext.Disposable"],
      types: ["node"],
      strict: true,
      // Does not check TypeScript's own declarations, which take most of the time.
      skipDefaultLibCheck: true,
      ...options,
    },
    files: ["use.ts"],
  });

const project = new Project(
  {
    "use.ts": IMPORTS + USE,
    "module/use.ts": IMPORTS + USE,
    "module/package.json": JSON.stringify({ type: "module" }),
    "common.json": config({ module: "NodeNext" }),
    "legacy.json": config({ module: "CommonJS", moduleResolution: "Node10" }),
    "module/bundler.json": config({ module: "ESNext", moduleResolution: "Bundler" }),
    "module/module.json": config({ module: "NodeNext" }),
  },
  ["@types/node", "undici-types"],
);

const INSTALLED = join(project.folder, "node_modules/payments-sandbox");

/** Returns the words of the declarations, and the members without a description. */
function readDeclarations(): { names: string[]; withoutDoc: string[] } {
  const file = join(INSTALLED, "dist/types/declarations.d.ts");
  const tree = parse(readFileSync(file, "utf8"));
  const withoutDoc: string[] = [];
  const look = (node: ts.Node, name: string): void => {
    const comments = ts.getLeadingCommentRanges(tree.text, node.pos) ?? [];
    if (!comments.some(({ pos }) => tree.text.startsWith("/**", pos))) withoutDoc.push(name);
  };
  const names = tree.statements.map((statement) => {
    const one = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0]! : statement;
    const name = (one as ts.Node & { name: ts.Node }).name.getText(tree);
    look(statement, name);
    if (ts.isInterfaceDeclaration(one) || ts.isClassDeclaration(one))
      for (const member of one.members) {
        const { name: ofMember } = member as ts.Node & { name?: ts.Node };
        if (ofMember !== undefined && !/^[#[]/.test(ofMember.getText(tree)))
          look(member, `${name}.${ofMember.getText(tree)}`);
      }
    return name;
  });
  return { names, withoutDoc };
}

it.each(["common.json", "module/module.json", "module/bundler.json"])(
  "the types compile without other packages: %s",
  (file) => expect(typeComplaints(project.folder, ["--noEmit", "--singleThreaded", "-p", file])).toBe(""),
);

it("the types compile with an older TypeScript and Node 10 resolution", async () => {
  const tsc = join(await installSet("typescript-5"), "typescript/bin/tsc");
  expect(typeComplaints(project.folder, ["--noEmit", "-p", "legacy.json"], tsc)).toBe("");
});

it("the types describe every exported field and method", () => {
  const { names, withoutDoc } = readDeclarations();
  const doors = ["index", "testing"].map((door) =>
    readFileSync(join(INSTALLED, `dist/types/${door}.d.ts`), "utf8"),
  );
  const isExported = (name: string) =>
    doors.some((door) => new RegExp(`\\b${name.split(".")[0]}\\b`).test(door));
  expect(names.filter(isExported).length).toBeGreaterThan(40);
  expect(withoutDoc.filter(isExported)).toEqual([]);
  for (const name of ["Sandbox", "TestSandbox", "SandboxState"]) expect(names).toContain(name);
  for (const name of ["Charge", "Endpoint", "StateDump", "Refusal", "SIGNATURE_SCHEMES"])
    expect(names).not.toContain(name);
});

it("the types describe what each operation does", () => {
  const text = readFileSync(join(INSTALLED, "dist/types/declarations.d.ts"), "utf8");
  expect(CONTROL_OPERATIONS.length).toBeGreaterThan(60);
  for (const { id, description } of CONTROL_OPERATIONS) {
    const [, comment = ""] = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n    ${id}: \\{`).exec(text) ?? [];
    expect(comment.replace(/\s+(\* )?/g, " ")).toContain(description.split(". ", 1)[0]!);
  }
});

it("SandboxState has the fields of an exported state", () => {
  expectTypeOf<keyof z.infer<typeof stateDumpSchema>>().toEqualTypeOf<keyof SandboxState>();
});
