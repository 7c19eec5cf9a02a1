import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openSandbox } from "./api-client.js";
import { atEndOfFile } from "./lifetime.js";
import { installSet } from "./test-packages.js";
import { typeComplaints } from "./typecheck.js";

const PACKAGES = await installSet("openapi-client");

/** Generates types from a document, and compiles and runs a client. */
export class GeneratedClient<Program> {
  /** Beside the packages that the client imports. */
  readonly #folder = mkdtempSync(join(PACKAGES, ".client-"));
  constructor() {
    atEndOfFile(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Output of the compiler. */
  complaints = "";

  /** `types` is the name under which the program imports the types; `source` is the program's URL. */
  async make(documentPath: string, types: string, source: URL): Promise<void> {
    const answer = await (await openSandbox()).fetch(new Request(`http://sandbox${documentPath}`));
    this.#write("document.json", await answer.text());
    const generator = join(PACKAGES, "openapi-typescript/bin/cli.js");
    execFileSync(process.execPath, [generator, "document.json", "--output", types], {
      cwd: this.#folder,
      stdio: "pipe",
    });
    this.#write("program.ts", readFileSync(source, "utf8"));
    this.#write("package.json", '{ "type": "module" }');
    const compilerOptions = {
      strict: true,
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module: "NodeNext",
      skipLibCheck: true,
      types: [],
    };
    this.#write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    this.complaints = typeComplaints(this.#folder, ["-p", "."]);
  }

  load(): Promise<Program> {
    return import(pathToFileURL(join(this.#folder, "program.js")).href);
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }
}
