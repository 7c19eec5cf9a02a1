import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DeviationKind, Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { atEnd } from "../support/lifetime.js";
import { ROOT } from "../support/process-command.js";

interface Incident {
  readonly name: string;
  readonly found: { readonly kind: DeviationKind; readonly at?: string };
  readonly depth: number;
  readonly failOn?: readonly string[];
}
interface List {
  readonly FOLDER: string;
  readonly INCIDENTS: readonly Incident[];
  flowOf(incident: Incident): string;
  programOf(incident: Incident, kind: "app" | "fixed"): string;
}
type StartProgram = (program: string, sandbox: Sandbox) => Promise<{ app: string; stop(): Promise<unknown> }>;

const partOf = (file: string) => import(join(ROOT, "scripts/incidents", file));
const { FOLDER, INCIDENTS, flowOf, programOf }: List = await partOf("list.mjs");
const { startProgram }: { startProgram: StartProgram } = await partOf("program.mjs");

async function started(incident: Incident, kind: "app" | "fixed") {
  const sandbox = await openSandbox();
  const { app, stop } = await startProgram(programOf(incident, kind), sandbox);
  atEnd(stop);
  return { sandbox, app };
}

describe.each(INCIDENTS)("$name", (incident) => {
  const { name, found, depth, failOn } = incident;

  // `npm run incidents` also explores the fixes, and runs each file ten times.
  it("is found in the app, and its saved file passes with the fix", async () => {
    const { sandbox, app } = await started(incident, "app");
    const save = temporaryFolder();
    const end = new AbortController();
    const onRun = () => {
      if (readdirSync(save).some((file) => file.startsWith(`${name}.${found.kind}.`))) end.abort();
    };
    const options = { app, depth, save, signal: end.signal, onRun, ...(failOn && { failOn }) };
    const { findings } = await sandbox.explore(flowOf(incident), options);
    const isExpected = ({ kind, at }: { kind: string; at: string }) =>
      kind === found.kind && at === (found.at ?? at);
    const finding = findings.find(({ deviations }) => deviations.some(isExpected));
    expect(finding?.deviations).toHaveLength(depth);
    const fixed = await started(incident, "fixed");
    expect(await fixed.sandbox.run(finding!.file!, { app: fixed.app })).toMatchObject({ outcome: "passed" });
  });

  it("has a README with a link to the report and code of the app and its fix", () => {
    const readme = readFileSync(join(FOLDER, name, "README.md"), "utf8");
    expect(readme).toMatch(/^Reported: \[.+\]\(https:\/\/github\.com\/.+\)\.$/m);
    const [wrong, right] = [...readme.matchAll(/```(?:js|python)\n([\s\S]*?)```/g)].map(([, code]) => code!);
    const linesOf = (code: string) => code.split("\n").map((line) => line.trim());
    expect(linesOf(readFileSync(programOf(incident, "app"), "utf8"))).toEqual(
      expect.arrayContaining(linesOf(wrong!)),
    );
    expect(linesOf(readFileSync(programOf(incident, "fixed"), "utf8"))).toEqual(
      expect.arrayContaining(linesOf(right!)),
    );
  });
});

it("the table and the README contain every incident", () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(INCIDENTS.map(({ name }) => name).sort()).toEqual(folders.map(({ name }) => name).sort());
  const table = readFileSync(join(FOLDER, "README.md"), "utf8");
  const rows = [...table.matchAll(/^\| \[([\w-]+)\]\(\1\) \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(INCIDENTS.map(({ name }) => name));
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  expect(readme).toContain(`[${INCIDENTS.length} public bugs](examples/incidents/README.md)`);
});
