import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";

/**
 * What a user does with the document: generate types, write a client against them, run it. The files lie in a
 * folder of their own below node_modules, where the client library is found and no other tool looks.
 */
const FOLDER = mkdtempSync(fileURLToPath(new URL("../../node_modules/.openapi-client-", import.meta.url)));
const PROGRAM = readFileSync(new URL("./shop-program.ts.txt", import.meta.url), "utf8");

interface Shop {
  buy(
    baseUrl: string,
    key: string,
    pause: () => Promise<void>,
  ): Promise<{
    quoteId: string;
    instructions: string;
    charge: { charge_id: string; status: string; amount: string; settlement_amount: string };
    payins: number;
    available: string | undefined;
  }>;
  refused(baseUrl: string, key: string): Promise<{ status: number; fields: string[]; data?: unknown }>;
  onEvent(event: unknown): string;
}

let complaints: string[] = [];

beforeAll(async () => {
  const sandbox = await openSandbox();
  const answer = await sandbox.fetch(new Request("http://sandbox/openapi.json"));
  const types = await openapiTS(Buffer.from(await answer.arrayBuffer()), { silent: true });
  writeFileSync(join(FOLDER, "service.ts"), astToString(types));
  writeFileSync(join(FOLDER, "shop.ts"), PROGRAM);
  writeFileSync(join(FOLDER, "package.json"), '{ "type": "module" }');
  const program = ts.createProgram([join(FOLDER, "shop.ts")], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: [],
  });
  complaints = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, start, messageText }) =>
        `${file?.fileName.slice(FOLDER.length)}:${start} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  program.emit();
});

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const shop = () => import(pathToFileURL(join(FOLDER, "shop.js")).href) as Promise<Shop>;

describe("a client generated from the document", () => {
  it("is typed: right calls compile, wrong ones do not", () => {
    expect(complaints).toEqual([]);
  });

  it("drives the whitelabel flow over a socket", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    const pause = async () => void (await sandbox.advance("1s"));
    const bought = await (await shop()).buy(url, sandbox.apiKey, pause);
    expect(bought).toMatchObject({
      quoteId: expect.stringMatching(/^qt_/),
      instructions: expect.stringMatching(/^SimbaPesa Sandbox \+254/),
      charge: { status: "COMPLETED", amount: "3305.63", settlement_amount: "3225.00" },
      payins: 1,
      available: "3225.00",
    });
    const events = sandbox.snapshot().collections.events.map(([, event]) => event);
    const completed = events.find(({ type }) => type === "charge.completed")!;
    expect((await shop()).onEvent(JSON.parse(completed.body))).toBe("paid 3225.00");
  });

  it("reads a refusal", async () => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    expect(await (await shop()).refused(url, sandbox.apiKey)).toEqual({
      status: 400,
      fields: ["pricing.amount"],
      data: undefined,
    });
  });
});
