import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox, type DeviationKind, type Sandbox } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { isRunnable } from "../support/programs.js";
import { foundIn } from "./apps.js";

interface Incident {
  readonly name: string;
  readonly found: { readonly kind: DeviationKind; readonly at: string };
  readonly depth: number;
  readonly failOn?: readonly string[];
}
interface List {
  readonly FOLDER: string;
  readonly INCIDENTS: readonly Incident[];
  flowOf(incident: Incident): string;
  programOf(incident: Incident, kind: "app" | "fixed"): string;
}
type WithProgram = <Result>(
  create: typeof createSandbox,
  program: string,
  work: (started: { sandbox: Sandbox; app: string }) => Promise<Result>,
) => Promise<Result>;

const partOf = (file: string) => import(join(ROOT, "scripts/incidents", file));
const { FOLDER, INCIDENTS, flowOf, programOf }: List = await partOf("list.mjs");
const { withProgram }: { withProgram: WithProgram } = await partOf("program.mjs");

/** Runs the deviation that reveals the bug. */
async function findBug(incident: Incident) {
  const { found, failOn = [] } = incident;
  const [flow, only] = [readFileSync(flowOf(incident), "utf8"), `${found.kind} at ${found.at}`];
  const { report } = await withProgram(createSandbox, programOf(incident, "app"), (started) =>
    foundIn(started, flow, { save: temporaryFolder(), failOn, only }),
  );
  return report.findings[0];
}

for (const incident of INCIDENTS) {
  const isHere = isRunnable(programOf(incident, "app"));
  // `npm run incidents` explores each app and its fix.
  it.skipIf(!isHere)(`explore finds ${incident.name}, and its fix passes`, { concurrent: true }, async () => {
    const finding = await findBug(incident);
    expect(finding?.deviations).toHaveLength(incident.depth);
    const report = await withProgram(createSandbox, programOf(incident, "fixed"), ({ sandbox, app }) =>
      sandbox.runFile(finding!.file!, { app }),
    );
    expect(report).toMatchObject({ outcome: "passed" });
  });
}

it("explore at depth 2 accepts that a further attempt to pay ends as none of the app's own did", async () => {
  const incident = INCIDENTS.find(({ name }) => name === "failed-attempt-after-success")!;
  const { report } = await withProgram(createSandbox, programOf(incident, "fixed"), (started) =>
    foundIn(started, readFileSync(flowOf(incident), "utf8"), { depth: 2 }),
  );
  expect(report).toMatchObject({ findings: [], complete_depth: 2 });
});

it.each(INCIDENTS)("the README of $name links to the report and the code", (incident) => {
  const readme = readFileSync(join(FOLDER, incident.name, "README.md"), "utf8");
  expect(readme).toMatch(/^Reported: \[.+\]\(https:\/\/github\.com\/.+\)\.$/m);
  const [wrong, right] = [...readme.matchAll(/```(?:js|php|python|ruby)\n([\s\S]*?)```/g)].map(
    ([, code]) => code!,
  );
  const linesOf = (code: string) => code.split("\n").map((line) => line.trim());
  const linesOfProgram = (kind: "app" | "fixed") => linesOf(readFileSync(programOf(incident, kind), "utf8"));
  expect(linesOfProgram("app")).toEqual(expect.arrayContaining(linesOf(wrong!)));
  expect(linesOfProgram("fixed")).toEqual(expect.arrayContaining(linesOf(right!)));
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

it("the table of missed reports has the number of them on the pages", () => {
  const [, section] = readFileSync(join(FOLDER, "README.md"), "utf8").split("\n## Missed\n");
  const missed = Number(/misses (\d+):/.exec(section!)?.[1]);
  for (const [page, sentence] of [
    ["README.md", `[miss ${missed}](docs/explore.md#what-it-misses)`],
    ["docs/explore.md", `[miss ${missed}](../examples/incidents/README.md#missed)`],
  ] as const)
    expect(readFileSync(join(ROOT, page), "utf8")).toContain(sentence);
  expect(section!.match(/\[[^\]]+#\d+\]\(https:\/\/github\.com\//g)).toHaveLength(missed);
});
