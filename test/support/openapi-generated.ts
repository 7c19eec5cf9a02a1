import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { openSandbox } from "./api-client.js";
import { atEndOfFile } from "./lifetime.js";

/** Generates types from a document, and compiles and runs a client. */
export class GeneratedClient<Program> {
  readonly #folder = mkdtempSync(
    fileURLToPath(new URL("../../node_modules/.openapi-client-", import.meta.url)),
  );
  constructor() {
    atEndOfFile(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Output of the compiler. */
  complaints: string[] = [];

  /** `types` is the name under which the program imports the types; `source` is the program's URL. */
  async make(documentPath: string, types: string, source: URL): Promise<void> {
    const answer = await (await openSandbox()).fetch(new Request(`http://sandbox${documentPath}`));
    const generated = await openapiTS(Buffer.from(await answer.arrayBuffer()), { silent: true });
    this.#write(types, astToString(generated));
    this.#write("program.ts", readFileSync(source, "utf8"));
    this.#write("package.json", '{ "type": "module" }');
    const program = ts.createProgram([join(this.#folder, "program.ts")], {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      types: [],
    });
    this.complaints = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, start, messageText }) =>
          `${file?.fileName.slice(this.#folder.length)}:${start} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      );
    program.emit();
  }

  load(): Promise<Program> {
    return import(pathToFileURL(join(this.#folder, "program.js")).href);
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }
}
