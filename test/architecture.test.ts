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
  it("is found at all", () => {
    expect(sources).toEqual(
      expect.arrayContaining(["index.ts", "domain/money.ts", "http/service/charges.ts"]),
    );
  });

  it.each(sources)("%s keeps to the architecture", (file) => {
    expect(faultsOf(file, readFileSync(SRC + file, "utf8"))).toEqual([]);
  });
});

const messages = (file: string, source: string) => faultsOf(file, source).map((fault) => fault.message);

describe("the check of imports", () => {
  it.each([
    ["schema/a.ts", 'import { a } from "../domain/a.js";', "schema must not know domain"],
    ["domain/a.ts", 'import type { State } from "../engine/state.js";', "domain must not know engine"],
    ["domain/a.ts", 'import { type State } from "../engine/state.js";', "domain must not know engine"],
    ["domain/a.ts", 'export { State } from "../engine/state.js";', "domain must not know engine"],
    ["domain/a.ts", 'export * from "../engine/state.js";', "domain must not know engine"],
    ["domain/a.ts", 'export type * from "../engine/state.js";', "domain must not know engine"],
    ["domain/a.ts", 'import "../engine/state.js";', "domain must not know engine"],
    ["domain/a.ts", 'type S = import("../engine/state.js").State;', "domain must not know engine"],
    ["domain/a.ts", 'import state = require("../engine/state.js");', "domain must not know engine"],
    ["engine/a.ts", 'const { a } = await import("../store/a.js");', "engine must not know store"],
    ["engine/a.ts", "const { a } = await import(`../http/a.js`);", "engine must not know http"],
    ["engine/a.ts", 'const a = require("../http/a.js");', "engine must not know http"],
    ["engine/commands/a.ts", 'import "../../time/a.js";', "engine must not know time"],
    ["time/a.ts", 'import "../delivery/a.js";', "time must not know delivery"],
    ["store/a.ts", 'import "../delivery/a.js";', "store must not know delivery"],
    ["delivery/a.ts", 'import "../store/a.js";', "delivery must not know store"],
    ["store/a.ts", 'import "../namespace/a.js";', "store must not know namespace"],
    ["namespace/a.ts", 'import "../http/service/a.js";', "namespace must not know http"],
    ["namespace/a.ts", 'import "../scenario/files.js";', "namespace must not know scenario"],
    ["http/pages/a.tsx", 'import "../../scenario/a.js";', "http must not know scenario"],
    ["http/a.ts", 'import "../sandbox.js";', "http must not know sandbox"],
    ["scenario/a.ts", 'import "../namespace/a.js";', "scenario must not know namespace"],
    ["scenario/a.ts", 'import "../engine/a.js";', "scenario must not know engine"],
    ["cli/a.ts", 'import type { State } from "../engine/state.js";', "cli must not know engine"],
    ["cli/a.ts", 'import "../namespace/a.js";', "cli must not know namespace"],
    ["control-client.ts", 'import "./delivery/a.js";', "client must not know delivery"],
    ["doctor/a.ts", 'import "../http/a.js";', "doctor must not know http"],
    ["sandbox.ts", 'import "./index.js";', "sandbox must not know index"],
    ["options.ts", 'import "./cli/start.js";', "sandbox must not know cli"],
    ["index.ts", 'import "./cli/start.js";', "index must not know cli"],
    ["cli/a.ts", 'import "../index.js";', "cli must not know index"],
    ["engine/a.ts", "await import(name);", "imports what only shows at run time"],
    ["engine/a.ts", 'import "../../test/support/engine.js";', "which is in no layer"],
    ["engine/a.ts", 'import "../helpers/a.js";', "which is in no layer"],
    ["domain/pricing.ts", 'import { Decimal } from "decimal.js";', "which only domain/money.ts may"],
    ["store/a.ts", 'import type { Decimal } from "decimal.js";', "which only domain/money.ts may"],
    ["engine/a.ts", 'import { readFileSync } from "node:fs";', "engine is pure"],
    ["domain/a.ts", 'import { createServer } from "http";', "domain is pure"],
    ["http/a.ts", 'import { setTimeout } from "node:timers/promises";', "outside src/time/"],
  ])("finds in %s: %s", (file, source, message) => {
    expect(messages(file, source)).toContainEqual(expect.stringContaining(message));
  });

  it.each([
    ["schema/a.ts", 'import * as z from "zod/mini";\nimport { b } from "./b.js";'],
    ["domain/money.ts", 'import { Decimal } from "decimal.js";'],
    ["domain/a.ts", 'import { createHash } from "node:crypto";\nimport type { B } from "../schema/b.js";'],
    ["engine/commands/a.ts", 'import { b } from "../../domain/b.js";\nexport { c } from "../state.js";'],
    [
      "store/a.ts",
      'import { openSync } from "node:fs";\nimport type { Change } from "../engine/records.js";',
    ],
    ["http/service/a.ts", 'import { b } from "../reply.js";\nimport { c } from "../../engine/queries.js";'],
    ["sandbox.ts", 'import { a } from "./namespace/a.js";\nimport { b } from "./http/b.js";'],
    ["cli/a.ts", 'const { Sandbox } = await import("../sandbox.js");'],
    ["index.ts", 'export { Sandbox } from "./sandbox.js";'],
  ])("lets %s be", (file, source) => {
    expect(messages(file, source)).toEqual([]);
  });

  it("wants a place for every file", () => {
    for (const file of ["helpers.ts", "util/a.ts", "sandbox/a.ts"])
      expect(messages(file, "")).toEqual(["is in no layer of the architecture"]);
  });

  it("tells the line", () => {
    const [fault] = faultsOf("schema/a.ts", '\n// A comment.\nimport "../domain/a.js";\n');
    expect(fault).toMatchObject({ file: "schema/a.ts", line: 3 });
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
  ])("finds %s", (source, message) => {
    for (const file of ["engine/a.ts", "store/a.ts", "http/a.ts", "sandbox.ts", "index.ts", "cli/a.ts"])
      expect(messages(file, source)).toContain(message);
    expect(messages("time/a.ts", source)).toEqual([]);
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
  ])("lets be: %s", (source) => {
    expect(messages("engine/a.ts", source)).toEqual([]);
  });
});
