import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "rolldown/utils";
import { describe, expect, it } from "vitest";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { okBody, openApi } from "../support/api-client.js";
import { atEndOfFile } from "../support/lifetime.js";
import { operationsOf } from "../support/openapi-document.js";
import { installSet } from "../support/test-packages.js";

/** A schema that a generator wrote with zod. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean };
}
type Generated = Readonly<Record<string, Schema>> & { readonly schemas: Readonly<Record<string, Schema>> };

interface Generator {
  readonly set: Parameters<typeof installSet>[0];
  readonly program: string;
  readonly args: readonly string[];
  /** Schema of a request's body. */
  bodySchema(generated: Generated, operationId: string, component: string): Schema | undefined;
}

const ORVAL: Generator = {
  set: "orval",
  program: "orval/dist/bin/orval.mjs",
  args: ["--input", "document.json", "--output", "client.ts", "--client", "zod"],
  bodySchema: (generated, id) => generated[`${id[0]!.toUpperCase()}${id.slice(1)}Body`],
};
const ZOD_CLIENT: Generator = {
  set: "openapi-zod-client",
  program: "openapi-zod-client/bin.js",
  args: ["document.json", "--output", "client.ts", "--export-schemas"],
  bodySchema: ({ schemas }, _id, component) => schemas[component],
};
const OAZAPFTS = {
  set: "oazapfts",
  program: "oazapfts/dist/cli.js",
  args: ["document.json", "client.ts"],
} as const;

/** Runs a generator in a folder beside its packages; returns that folder. */
async function generate({ set, program, args }: Omit<Generator, "bodySchema">, document: object) {
  const packages = await installSet(set);
  const folder = mkdtempSync(join(packages, ".generated-"));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "document.json"), JSON.stringify(document));
  execFileSync(process.execPath, [join(packages, program), ...args], { cwd: folder, stdio: "pipe" });
  return folder;
}

const readClient = (folder: string) => readFileSync(join(folder, "client.ts"), "utf8");

function importClient(folder: string): Promise<Generated> {
  const file = join(folder, "client.mjs");
  writeFileSync(file, transformSync("client.ts", readClient(folder)).code);
  return import(pathToFileURL(file).href);
}

const DOCUMENTS = await Promise.all(
  ["/openapi.json", "/_sandbox/openapi.json"].map(async (path) => {
    const document = okBody(await (await openApi()).get<OpenApiDocument>(path));
    const bodies = operationsOf(document).flatMap(({ operation }) => {
      if (operation.requestBody === undefined) return [];
      const { schema, examples = {} } = operation.requestBody.content["application/json"];
      const values = Object.values(examples).map(({ value }) => value);
      return [{ id: operation.operationId, component: schema.$ref.split("/").at(-1)!, values }];
    });
    return { path, document, bodies };
  }),
);

describe.each(DOCUMENTS)("generated from $path", ({ path, document, bodies }) => {
  it.each([ORVAL, ZOD_CLIENT])("each request schema of $set validates", async (generator) => {
    const folder = await generate(generator, document);
    const generated = await importClient(folder);
    const outcomes = bodies.map(({ id, component, values }) => {
      const schema = generator.bodySchema(generated, id, component);
      const accepted = (value: unknown) => schema?.safeParse(value).success;
      return [id, values.map(accepted), accepted(5)];
    });
    expect(outcomes).toEqual(bodies.map(({ id, values }) => [id, values.map(() => true), false]));
    if (path === "/openapi.json") expect(readClient(folder)).not.toMatch(/\b(any|unknown)\(\)/);
  });

  it("no request type of oazapfts is any", async () => {
    const types = readClient(await generate(OAZAPFTS, document));
    for (const { component } of bodies) {
      expect(types).toContain(`export type ${component} =`);
      expect(types).not.toMatch(new RegExp(`export type ${component} = \\(?any\\b`));
    }
    if (path === "/openapi.json") expect(types).not.toMatch(/[:=] \(?any\b/);
  });
});
