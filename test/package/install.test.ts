import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isAlive, ROOT } from "../support/process-command.js";
import { typeComplaints } from "../support/typecheck.js";
import {
  cleanEnvironment,
  DOORS,
  install,
  MANIFEST,
  pack,
  REQUIRED_DOORS,
  removeProjects,
  type Tarball,
} from "./support/packed.js";

/** What a user does with the library; also what their compiler reads. */
const PAYMENT = `
async function paid(): Promise<string> {
  const sandbox: Sandbox = await createSandbox({ clock: "manual", seed: "package" });
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { authorization: \`Bearer \${sandbox.apiKey}\`, "content-type": "application/json" };
    const request = new Request(\`http://sandbox\${path}\`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await (await sandbox.fetch(request)).json()) as Record<string, string>;
  };
  const order = { pricing: { base_currency: "KES", amount: "500.00" }, payment_method: "mobile_money" };
  const { quote_id } = await post("/api/v1/payments/quotes", order);
  const customer = { customer_email: "ada@example.com", phone_number: "+254700000001", quote_id };
  const { charge_id } = await post("/api/v1/payments/whitelabel", { ...order, ...customer });
  const report = await sandbox.advance("10s");
  const fired: number = report.fired_total;
  const refused: unknown = await sandbox
    .transition(charge_id ?? "", "PENDING")
    .catch((error: unknown) => error);
  await sandbox.close();
  return \`\${fired > 0} \${refused instanceof SandboxError ? refused.code : "?"}\`;
}
void paid().then((text) => console.log(text));

// @ts-expect-error there is no such option
void (() => createSandbox({ clok: "manual" }));
// @ts-expect-error a charge has no such status
void ((sandbox: Sandbox) => sandbox.transition("ch_x", "PAID"));
`;
const IMPORTED = `import { createSandbox, type Sandbox, SandboxError } from "payments-sandbox";\n${PAYMENT}`;
const PRINTED = "true INVALID_TRANSITION\n";

/** Every door opened, its types asked for. */
const everyDoor = (doors: readonly string[]): string =>
  doors.map((door, index) => `import * as door${index} from "${door}";\nvoid door${index};\n`).join("");

let tarball: Tarball;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  tarball = await pack();
  ({ folder } = await install(tarball, {
    "use.mts": IMPORTED + everyDoor(DOORS),
    "use.cts": IMPORTED + everyDoor(REQUIRED_DOORS),
    "use.ts": IMPORTED + everyDoor(REQUIRED_DOORS),
  }));
});
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
});
afterAll(removeProjects);

/** Starts `npx payments-sandbox` in the project; `ended` is its exit code and all it printed. */
function npx(...args: string[]) {
  const child = spawn("npx", ["--offline", "payments-sandbox", ...args], {
    cwd: folder,
    env: cleanEnvironment(),
  });
  children.push(child);
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...texts }));
  /** Resolves with what matches once it is printed; rejects when it ends without. */
  const printed = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(texts.stdout);
      if (match !== null) return match[1]!;
      const more = await Promise.race([once(child.stdout, "data"), ended.then(() => undefined)]);
      if (more === undefined && !pattern.test(texts.stdout))
        throw new Error(`ended: ${JSON.stringify(texts)}`);
    }
  };
  return { ended, printed };
}

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: cleanEnvironment() });

describe("npx payments-sandbox", () => {
  it("--version", async () => {
    expect(await npx("--version").ended).toMatchObject({ code: 0, stdout: `${MANIFEST.version}\n` });
  });

  it("starts, answers, and ends by SIGTERM with 0", async () => {
    const { ended, printed } = npx("--json", "--port", "0");
    const ready = JSON.parse(await printed(/^(\{.*\})\n/m));
    try {
      const health = await fetch(`${ready.url}/health`);
      expect([health.status, ((await health.json()) as { version: string }).version]).toEqual([
        200,
        MANIFEST.version,
      ]);
      const headers = { authorization: `Bearer ${ready.api_key}` };
      expect((await fetch(`${ready.url}/api/v1/accounts/balances`, { headers })).status).toBe(200);
    } finally {
      // Not npx itself: it would pass the signal to a shell and leave the server behind.
      process.kill(ready.pid, "SIGTERM");
    }
    expect((await ended).code).toBe(0);
    expect(isAlive(ready.pid)).toBe(false);
  });

  it("runs the scenario that init writes, and one it ships", async () => {
    expect((await npx("init").ended).code).toBe(0);
    const shipped = "node_modules/payments-sandbox/scenarios/flow_card.yaml";
    const { code, stdout } = await npx("run", "payments-sandbox.scenario.yaml", shipped).ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining("2 of 2 scenarios passed")]);
  });
});

describe("its types", () => {
  const STRICT = [
    "--strict",
    "--skipLibCheck",
    "false",
    // Ours and those of Node are checked; the language's own take most of the time.
    "--skipDefaultLibCheck",
    "--exactOptionalPropertyTypes",
    "--target",
    "ES2022",
  ];
  const tsc = (...args: string[]): string => typeComplaints(folder, [...STRICT, ...args]);

  it.each([
    ["module node16", ["--module", "node16", "use.mts", "use.cts", "use.ts"]],
    ["a bundler", ["--module", "esnext", "--moduleResolution", "bundler", "use.mts", "use.ts"]],
    ["module commonjs", ["--module", "commonjs", "--moduleResolution", "node10", "use.ts"]],
  ])("are right for %s, without those of Node", (_name, args) => {
    expect(tsc(...args)).toBe("");
  });

  it.each(["ES2022", "ESNext,DOM"])("are right with those of Node and lib %s", (lib) => {
    const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
    expect(tsc("--module", "node16", "--lib", lib, ...types, "use.mts", "use.cts")).toBe("");
  });

  it("name what is missing where there are neither those of Node nor of the DOM", () => {
    const told = tsc("--module", "node16", "--lib", "ES2022", "use.mts");
    const names = new Set([...told.matchAll(/Cannot find name '(\w+)'/g)].map((match) => match[1]));
    expect([...names]).toEqual(expect.arrayContaining(["Request", "Response", "AbortSignal"]));
    // What either brings is all that is asked for.
    expect(names).not.toContain("Buffer");
    expect(names).not.toContain("NodeJS");
  });
});

describe("the library", () => {
  it.each([
    ["imported", "own.mjs", ts.ModuleKind.ESNext],
    ["required", "own.cjs", ts.ModuleKind.CommonJS],
  ])("does its work when %s, as TypeScript compiles it", (_how, file, module) => {
    writeFileSync(join(folder, file), ts.transpile(IMPORTED, { module, target: ts.ScriptTarget.ES2022 }));
    expect(node(file)).toBe(PRINTED);
  });

  it.each(DOORS)("has %s, imported", (door) => {
    expect(node("--input-type=module", "-e", `await import("${door}"); console.log("ok")`)).toBe("ok\n");
  });

  it.each(REQUIRED_DOORS)("has %s, required", (door) => {
    expect(node("-e", `require("${door}"); console.log("ok")`)).toBe("ok\n");
  });
});
