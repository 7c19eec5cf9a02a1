import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { CLIENT_COMMANDS } from "../../src/cli/client/commands.js";
import { main } from "../../src/cli/main.js";
import type { Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFile, temporaryFolder } from "../support/folders.js";
import { commandNames } from "../support/program.js";
import { words } from "../support/words.js";

const SCENARIO = "name: flow\nsteps:\n  - advance: 1h\n";
const EXPLORED = "name: flow\nsteps:\n  - app: GET /orders\n";
const scenario = (text = SCENARIO) => temporaryFile("flow.yaml", text);

/** Each command with what it needs to get as far as a call or a line of output. */
const COMMAND_LINES: Readonly<Record<string, () => string[]>> = {
  start: () => words`start --port 0`,
  exec: () => words`exec -- true`,
  "check-webhook": () => words`check-webhook http://127.0.0.1:9/hooks`,
  reconcile: () => ["reconcile", "--file", temporaryFile("books.jsonl", "{}\n")],
  openapi: () => ["openapi"],
  run: () => ["run", scenario()],
  explore: () => ["explore", scenario(EXPLORED), "--app", "http://127.0.0.1:9"],
  validate: () => ["validate", scenario()],
  init: () => ["init"],
  demo: () => ["demo"],
  guide: () => ["guide"],
  next: () => words`next last`,
  history: () => words`history last`,
  trigger: () => words`trigger charge.completed`,
  webhook: () => words`webhook list`,
  clock: () => words`clock advance 1h`,
  snapshot: () => words`snapshot list`,
  export: () => ["export", temporaryFile("state.json", "")],
  import: () => ["import", temporaryFile("state.json", "{}")],
  namespace: () => words`namespace list`,
  scenario: () => words`scenario list`,
  fault: () => words`fault list`,
  charge: () => words`charge last`,
  checkout: () => words`checkout last cancel`,
  fund: () => words`fund KES 1.00`,
  withdrawal: () => words`withdrawal last`,
  wait: () => words`wait idle`,
};

const THROWN: readonly [name: string, thrown: unknown][] = [
  ["an error without a message", new Error()],
  ["a text", "it failed"],
  ["undefined", undefined],
  ["an aggregate without a message", new AggregateError([new Error("one"), new Error("two")])],
  ["an object", {}],
  ["an error with a code alone", Object.assign(new Error(), { code: "ECONNRESET" })],
];

let stderr = "";
let sandbox: Sandbox;
const { request, createServer } = http;

const FOLDER = process.cwd();

beforeAll(async () => {
  // `init` writes files.
  process.chdir(temporaryFolder());
  sandbox = await openSandbox();
  vi.stubEnv("PAYMENTS_SANDBOX_URL", (await sandbox.listen()).url);
});

afterAll(() => process.chdir(FOLDER));

beforeEach(() => {
  stderr = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  vi.spyOn(process, "exit").mockImplementation((() => undefined) as never);
});

afterEach(() => {
  vi.restoreAllMocks();
  replaceHttp({ request, createServer });
  process.exitCode = undefined;
});

function replaceHttp(members: object): void {
  Object.assign(http, members);
  syncBuiltinESMExports();
}

const CLIENT_NAMES = CLIENT_COMMANDS.map(({ usage }) => usage.split(" ")[0]!);
const rows = (names: readonly string[]) =>
  names.flatMap((name) => THROWN.map(([kind, thrown]) => [name, kind, thrown] as const));

async function expectSentence(name: string): Promise<void> {
  await main(["node", "payments-sandbox", ...(COMMAND_LINES[name]?.() ?? [name])]);
  expect(process.exitCode).toBeGreaterThan(0);
  expect(stderr).toMatch(/^payments-sandbox: \S+ \S+ \S+/m);
  expect(stderr).not.toContain("Cannot read properties of");
  expect(stderr).not.toContain("Cannot destructure");
}

it.each(rows(commandNames()))(
  "%s ends with a sentence when a connection throws %s",
  async (name, _, thrown) => {
    const fail = () => {
      throw thrown;
    };
    // Commands without a connection throw at their output.
    vi.spyOn(process.stdout, "write").mockImplementation(fail);
    replaceHttp({ request: fail, createServer: fail });
    await expectSentence(name);
  },
);

it.each(rows(CLIENT_NAMES))("%s ends with a sentence when its output throws %s", async (name, _, thrown) => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => {
    throw thrown;
  });
  await expectSentence(name);
});
