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
const FOLDER = mkdtempSync(fileURLToPath(new URL("../../node_modules/.control-client-", import.meta.url)));
const PROGRAM = readFileSync(new URL("./control-program.ts.txt", import.meta.url), "utf8");

interface Program {
  drive(baseUrl: string): Promise<Record<string, unknown>>;
  refused(baseUrl: string): Promise<Record<string, unknown>>;
  told(happening: object): string;
}

let complaints: string[] = [];

beforeAll(async () => {
  const sandbox = await openSandbox();
  const answer = await sandbox.fetch(new Request("http://sandbox/_sandbox/openapi.json"));
  const types = await openapiTS(Buffer.from(await answer.arrayBuffer()), { silent: true });
  writeFileSync(join(FOLDER, "control.ts"), astToString(types));
  writeFileSync(join(FOLDER, "program.ts"), PROGRAM);
  writeFileSync(join(FOLDER, "package.json"), '{ "type": "module" }');
  const program = ts.createProgram([join(FOLDER, "program.ts")], {
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

const program = () => import(pathToFileURL(join(FOLDER, "program.js")).href) as Promise<Program>;

describe("a client generated from the control API's document", () => {
  it("is typed: right calls compile, wrong ones do not", () => {
    expect(complaints).toEqual([]);
  });

  it("drives a namespace of its own over a socket", async () => {
    const { url } = await (await openSandbox()).listen({ port: 0 });
    expect(await (await program()).drive(url)).toEqual({
      key: "sk_test_ns_typed",
      signature: expect.stringMatching(/^v1,/),
      to: "2026-01-31T09:30:00.000Z",
      types: ["webhook.test"],
      mode: "manual",
      total: 1,
    });
  });

  it("reads refusals", async () => {
    const { url } = await (await openSandbox()).listen({ port: 0 });
    expect(await (await program()).refused(url)).toEqual({
      status: 408,
      code: "WAIT_TIMEOUT",
      missing: "Charge not found",
    });
  });

  it("tells what happened by its kind", async () => {
    const { told } = await program();
    expect(told({ kind: "attempt", attempt: 2, status: null, error: "refused" })).toBe("2: refused");
    expect(told({ kind: "transition", status: "COMPLETED" })).toBe("COMPLETED");
  });
});
