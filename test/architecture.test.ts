import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { faultsOf } from "./support/source-rules.js";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
  .sort();

describe("src", () => {
  it("finds the files of src", () => {
    expect(sources).toEqual(
      expect.arrayContaining(["library/index.ts", "core/domain/money.ts", "server/service/charges.ts"]),
    );
  });

  it.each(sources)("%s imports only what the architecture allows", (file) => {
    expect(faultsOf(file, readFileSync(SRC + file, "utf8"))).toEqual([]);
  });
});

describe("the pages of src", () => {
  const pages = readdirSync(`${SRC}pages`, { recursive: true, encoding: "utf8", withFileTypes: true });
  const files = pages
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);

  it("no line has more than 120 characters, styles and scripts included", () => {
    expect(files.filter((file) => file.endsWith(".css")).length).toBeGreaterThan(2);
    const long = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.length > 120),
    );
    expect(long).toEqual([]);
  });

  // So it is deleted with its line in that table.
  it.each([
    ["pages", "page-families.ts"],
    ["pages/dashboard/views", "../views.ts"],
  ])("each page of %s is known to no other file than %s", (folder, table) => {
    const root = `${SRC}${folder}/`;
    const importsOf = (file: string) =>
      [...readFileSync(SRC + file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(
        ([, path]) => new URL(path!, `file://${SRC}${file}`).pathname,
      );
    const features = readdirSync(root, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() || folder.endsWith("views"),
    );
    expect(features.length).toBeGreaterThan(2);
    for (const { name } of features) {
      const feature = `${root}${name}`.replace(/\.ts$/, "");
      const importers = sources.filter(
        (file) =>
          !`${SRC}${file}`.startsWith(feature) && importsOf(file).some((path) => path.startsWith(feature)),
      );
      expect([name, importers]).toEqual([
        name,
        [new URL(table, `file://${root}`).pathname.slice(SRC.length)],
      ]);
    }
  });
});

const messages = (file: string, source: string) => faultsOf(file, source).map((fault) => fault.message);

describe("the check of imports", () => {
  it.each([
    ["core/schema/a.ts", 'import { a } from "../domain/a.js";', "schema must not know domain"],
    ["core/domain/a.ts", 'import type { State } from "../engine/state.js";', "domain must not know engine"],
    ["core/domain/a.ts", 'import { type State } from "../engine/state.js";', "domain must not know engine"],
    ["core/domain/a.ts", 'export { State } from "../engine/state.js";', "domain must not know engine"],
    ["core/domain/a.ts", 'export * from "../engine/state.js";', "domain must not know engine"],
    ["core/domain/a.ts", 'export type * from "../engine/state.js";', "domain must not know engine"],
    ["core/domain/a.ts", 'import "../engine/state.js";', "domain must not know engine"],
    ["core/domain/a.ts", 'type S = import("../engine/state.js").State;', "domain must not know engine"],
    ["core/domain/a.ts", 'import state = require("../engine/state.js");', "domain must not know engine"],
    ["core/engine/a.ts", 'const { a } = await import("../store/a.js");', "engine must not know store"],
    [
      "core/engine/a.ts",
      "const { a } = await import(`../../server/http/a.js`);",
      "engine must not know server",
    ],
    ["core/engine/a.ts", 'const a = require("../../server/http/a.js");', "engine must not know server"],
    ["core/engine/commands/a.ts", 'import "../../time/a.js";', "engine must not know time"],
    ["core/time/a.ts", 'import "../delivery/a.js";', "time must not know delivery"],
    ["core/store/a.ts", 'import "../delivery/a.js";', "store must not know delivery"],
    ["core/delivery/a.ts", 'import "../store/a.js";', "delivery must not know store"],
    ["core/store/a.ts", 'import "../namespace/a.js";', "store must not know namespace"],
    ["core/namespace/a.ts", 'import "../../server/service/a.js";', "namespace must not know server"],
    ["core/namespace/a.ts", 'import "../../tools/scenario/files.js";', "namespace must not know scenario"],
    ["server/http/a.ts", 'import "../../pages/a.js";', "server must not know pages"],
    ["pages/a.tsx", 'import "../tools/scenario/a.js";', "pages must not know scenario"],
    ["pages/a.ts", 'import type { State } from "../core/engine/state.js";', "pages must not know engine"],
    ["pages/checkout/a.ts", 'import "../../core/namespace/a.js";', "pages must not know namespace"],
    ["server/http/a.ts", 'import "../../library/sandbox.js";', "server must not know library"],
    ["tools/scenario/a.ts", 'import "../../core/namespace/a.js";', "scenario must not know namespace"],
    ["tools/scenario/a.ts", 'import "../../core/engine/a.js";', "scenario must not know engine"],
    ["cli/a.ts", 'import type { State } from "../core/engine/state.js";', "cli must not know engine"],
    ["cli/a.ts", 'import "../core/namespace/a.js";', "cli must not know namespace"],
    ["core/client/a.ts", 'import "../delivery/a.js";', "client must not know delivery"],
    ["tools/doctor/a.ts", 'import "../../server/http/a.js";', "doctor must not know server"],
    ["library/options.ts", 'import "../cli/start.js";', "library must not know cli"],
    ["library/a.ts", 'import "../testing/index.js";', "library must not know testing"],
    ["core/engine/a.ts", "await import(name);", "imports what only shows at run time"],
    ["core/engine/a.ts", 'import "../../../test/support/engine.js";', "which is in no layer"],
    ["core/engine/a.ts", 'import "../../helpers/a.js";', "which is in no layer"],
    [
      "core/domain/pricing.ts",
      'import { Decimal } from "decimal.js";',
      "which only core/domain/money.ts may",
    ],
    ["core/store/a.ts", 'import type { Decimal } from "decimal.js";', "which only core/domain/money.ts may"],
    ["core/engine/a.ts", 'import { readFileSync } from "node:fs";', "engine is pure"],
    ["core/domain/a.ts", 'import { createServer } from "http";', "domain is pure"],
    ["server/http/a.ts", 'import { setTimeout } from "node:timers/promises";', "outside src/core/time/"],
  ])("reports the import in %s: %s", (file, source, message) => {
    expect(messages(file, source)).toContainEqual(expect.stringContaining(message));
  });

  it.each([
    ["core/schema/a.ts", 'import * as z from "zod/mini";\nimport { b } from "./b.js";'],
    ["core/domain/money.ts", 'import { Decimal } from "decimal.js";'],
    [
      "core/domain/a.ts",
      'import { createHash } from "node:crypto";\nimport type { B } from "../schema/b.js";',
    ],
    ["core/engine/commands/a.ts", 'import { b } from "../../domain/b.js";\nexport { c } from "../state.js";'],
    [
      "core/store/a.ts",
      'import { openSync } from "node:fs";\nimport type { Change } from "../engine/records.js";',
    ],
    [
      "server/service/a.ts",
      'import { b } from "../http/reply.js";\nimport { c } from "../../core/engine/queries.js";',
    ],
    ["library/a.ts", 'import { a } from "../core/namespace/a.js";\nimport { b } from "../server/http/b.js";'],
    ["cli/a.ts", 'const { Sandbox } = await import("../library/sandbox.js");'],
  ])("allows the import: %s", (file, source) => {
    expect(messages(file, source)).toEqual([]);
  });

  it("every file must belong to a folder of the architecture", () => {
    for (const file of ["helpers.ts", "util/a.ts", "sandbox/a.ts", "core/a.ts", "tools/cli/a.ts"])
      expect(messages(file, "")).toEqual(["is in no layer of the architecture"]);
  });

  it("the error contains the line number", () => {
    const [fault] = faultsOf("core/schema/a.ts", '\n// A comment.\nimport "../domain/a.js";\n');
    expect(fault).toMatchObject({ file: "core/schema/a.ts", line: 3 });
  });
});

describe("the check for time, timers and chance", () => {
  it.each([
    ["Date.now()", "Date.now: wall time"],
    ["globalThis.Date.now()", "Date.now: wall time"],
    ['Date["now"]()', "Date: wall time"],
    ["const { now } = Date;", "Date: wall time"],
    ["const D = Date; D.now();", "Date: wall time"],
    ["const now = Date.now;", "Date.now: wall time"],
    ["new Date()", "new Date() without an argument: wall time"],
    ["new Date", "new Date() without an argument: wall time"],
    ["new Date(...given)", "new Date() without an argument: wall time"],
    ["new globalThis.Date()", "new Date() without an argument: wall time"],
    ["Date()", "Date: wall time"],
    ["Math.random()", "Math.random: randomness"],
    ["globalThis.Math.random()", "Math.random: randomness"],
    ['Math["random"]()', "Math.random: randomness"],
    ["const { random } = Math;", "Math.random: randomness"],
    ["setTimeout(run, 1)", "setTimeout: timer"],
    ["setInterval(run, 1)", "setInterval: timer"],
    ["setImmediate(run)", "setImmediate: timer"],
    ["globalThis.setTimeout(run, 1)", "setTimeout: timer"],
    ['globalThis["setTimeout"](run, 1)', "setTimeout: timer"],
    ["const later = setTimeout;", "setTimeout: timer"],
    ["const { setTimeout: later } = globalThis;", "setTimeout: timer"],
    ["AbortSignal.timeout(1)", "AbortSignal.timeout: wall time"],
    ["performance.now()", "performance: wall time"],
    ["process.hrtime()", "hrtime: wall time"],
    ["process.hrtime.bigint()", "hrtime: wall time"],
    ["process.uptime()", "process.uptime: wall time"],
    ["Temporal.Now.instant()", "Temporal.Now: wall time"],
    ["crypto.randomUUID()", "randomUUID: randomness"],
    ["crypto.getRandomValues(bytes)", "getRandomValues: randomness"],
    ['import { randomBytes } from "node:crypto";', "randomBytes: randomness"],
    ['import { randomUUID as id } from "node:crypto";', "randomUUID: randomness"],
  ])("finds time, timers or randomness in: %s", (source, message) => {
    for (const file of [
      "core/engine/a.ts",
      "core/store/a.ts",
      "server/http/a.ts",
      "library/a.ts",
      "cli/a.ts",
    ])
      expect(messages(file, source)).toContain(message);
    expect(messages("core/time/a.ts", source)).toEqual([]);
  });

  it.each([
    "new Date(atMs).toISOString()",
    'Date.parse("2026-01-31") + Date.UTC(2026, 0)',
    "const isDate = value instanceof Date;",
    "function iso(at: Date): string { return at.toISOString(); }",
    "type Timer = ReturnType<typeof setTimeout>;",
    "Math.max(1, Math.floor(2.5))",
    '// Date.now() and setTimeout are for time/\nconst text = "Math.random()";',
    "const page = `<script>setTimeout(() => location.reload(), 1000)</script>`;",
    'import { createHash } from "node:crypto";',
    "interface Wall { performance: number; setTimeout(run: () => void): void }",
  ])("allows: %s", (source) => {
    expect(messages("core/engine/a.ts", source)).toEqual([]);
  });
});
