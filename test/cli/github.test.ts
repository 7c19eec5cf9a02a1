import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith, temporaryFolder } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { words } from "../support/words.js";

const GREEN = "name: green\nsteps:\n  - advance: 1h\n";
const RED = `name: red
steps:
  - advance: 1h
  - name: "A list, 100% wrong: |pipe| and <b>"
    request: GET /api/v1/payments/payins
    expect: { body: { total: 7, items: [1] } }
  - advance: 1h
`;

/** Runs a command as a job of GitHub does, in a folder of the repository. */
async function inJob(args: readonly string[], files: Record<string, string> = {}) {
  const repository = folderWith(files);
  const summary = join(temporaryFolder(), "summary.md");
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: repository };
  const ended = await run(args, { cwd: repository, env });
  return { ...ended, readSummary: () => readFileSync(summary, "utf8") };
}

it("run annotates each failed step on GitHub with file, line, title and text", async () => {
  const { code, stdout, stderr } = await inJob(words`run green.yaml red.yaml --json`, {
    "green.yaml": GREEN,
    "red.yaml": RED,
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).outcome).toBe("failed");
  expect(stderr.split("\n").filter((line) => line.startsWith("::"))).toEqual([
    "::error file=red.yaml,line=6,title=red%3A 2. A list%2C 100%25 wrong%3A |pipe| and <b>::body.total: expected 7, got 0%0Adifference: body.items: expected 1 element, got 0",
  ]);
});

it("run annotates a file that cannot be read on GitHub with the file and line of its first fault", async () => {
  const { code, stderr } = await inJob(words`run flow.yaml green.yaml`, {
    "flow.yaml": "name: flow\ninclude: part.yaml\nsteps:\n  - advance: 1h\n",
    "part.yaml": "steps:\n  - advance: 1h\n  - advance: 1y\n",
    "green.yaml": GREEN,
  });
  expect(code).toBe(2);
  expect(stderr.split("\n").filter((line) => line.startsWith("::"))).toEqual([
    expect.stringMatching(
      /^::error file=part\.yaml,line=3,title=flow\.yaml%3A run::part\.yaml:3:5 steps\.1\.advance: must be/,
    ),
  ]);
});

it("run adds its result in Markdown to the summary of a job on GitHub", async () => {
  const { readSummary } = await inJob(words`run green.yaml red.yaml`, {
    "green.yaml": GREEN,
    "red.yaml": RED,
  });
  expect(
    readSummary().replace(/\d+\.\d s/g, "N s"),
  ).toBe(`| | payments-sandbox | passed | failed | not run | time |
|---|---|---|---|---|---|
| ✓ | green | 1 | 0 | 0 | N s |
| ✗ | red | 1 | 1 | 1 | N s |

- **red: 2. A list, 100% wrong: \\|pipe\\| and \\<b\\>** (red.yaml:6): body.total: expected 7, got 0

`);
});

it("exec adds the report of a red command to the summary of a job on GitHub", async () => {
  const { code, readSummary } = await inJob([
    ...words`exec -- /bin/sh -c`,
    'curl -s "$PAYMENTS_BASE_URL/api/v1/nowhere" > /dev/null; echo "$0"; exit 3',
    "```",
  ]);
  expect(code).toBe(3);
  const [heading, , fence, ...lines] = readSummary().split("\n");
  expect(heading).toMatch(/^### ✗ \/bin\/sh -c curl .*\\`\\`\\`: exit 3$/);
  expect(fence).toBe("```text");
  expect(lines).toContain("payments-sandbox: 1 of 1 call was refused:");
});

it("exec --under adds its matrix to the summary of a job on GitHub", async () => {
  const { readSummary } = await inJob(words`exec --under declined -- true`);
  expect(readSummary()).toMatch(/^### ✓ true\n\n```text\ntrue\n {2}✓ plain /);
});

it("run writes neither annotations nor a summary outside of a job", async () => {
  const summary = join(temporaryFolder(), "summary.md");
  const cwd = folderWith({ "red.yaml": RED });
  const { stderr } = await run(words`run red.yaml`, { cwd, env: { GITHUB_STEP_SUMMARY: summary } });
  expect(stderr).toBe("");
  expect(() => readFileSync(summary)).toThrow("ENOENT");
});
