import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { signatureHeaders } from "../../src/runtime/signatures.js";
import { DEFAULT_WEBHOOK_SECRET } from "../../src/schema/options.js";
import { ROOT } from "../support/process-command.js";
import { checkAt } from "./receivers.js";

const page = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");

/** The code of the block that is marked by that comment, as it stands on the page. */
function block(marker: string): string {
  const [, code] = new RegExp(`<!-- ${marker} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(page)!;
  return code!;
}

it("the page's Node receiver passes the doctor as it stands", async () => {
  // Beside the package's node_modules, where its imports are found.
  const file = join(ROOT, `.docs-${process.pid}-receiver.mjs`);
  writeFileSync(file, block("receiver: receiver.mjs"));
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, PORT: "0", PAYMENTS_WEBHOOK_SECRET: DEFAULT_WEBHOOK_SECRET },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const port = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error("ended")));
      child.stdout.setEncoding("utf8").on("data", (text: string) => resolve(/\d+/.exec(text)![0]));
    });
    const report = await checkAt(`localhost:${port}/webhooks`);
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ outcome: "passed", summary: { pass: 10, fail: 0, note: 2 } });
  } finally {
    child.kill("SIGKILL");
    rmSync(file, { force: true });
  }
});

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!hasPython())("the page's Python verifies what is sent, and nothing else", () => {
  const body = '{"id":"evt_1","name":"Zoë 😀"}';
  const other = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
  const signed = (secrets: string[], ageMs = 0) =>
    signatureHeaders("standard", { id: "evt_1", sentAtMs: Date.now() - ageMs, body }, secrets);
  const cases = [
    { headers: signed([DEFAULT_WEBHOOK_SECRET]), body },
    { headers: signed([other, DEFAULT_WEBHOOK_SECRET]), body },
    { headers: signed([other]), body },
    { headers: signed([DEFAULT_WEBHOOK_SECRET], 600_000), body },
    { headers: signed([DEFAULT_WEBHOOK_SECRET]), body: `${body} ` },
    { headers: {}, body },
  ];
  const script = `${block("verify: verify.py")}
import sys
for case in json.load(sys.stdin):
    try:
        print(verify("${DEFAULT_WEBHOOK_SECRET}", case["headers"], case["body"].encode())["id"])
    except ValueError as error:
        print(error)
`;
  const output = execFileSync("python3", ["-c", script], { input: JSON.stringify(cases), encoding: "utf8" });
  expect(output.trim().split("\n")).toEqual([
    "evt_1",
    "evt_1",
    "no signature fits",
    "stale or not signed",
    "no signature fits",
    "stale or not signed",
  ]);
});
