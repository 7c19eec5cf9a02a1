import { beforeAll, describe, expect, it } from "vitest";
import { buildIfMissing } from "../support/process-command.js";
import { type Block, blocksOf } from "./support/pages.js";
import { freePorts, UserProject } from "./support/user-project.js";

const blocks = blocksOf("docs/getting-started.md");
const kindOf = ({ marker }: Block) => marker?.split(": ")[0];
const nameOf = ({ marker }: Block) => marker?.split(": ")[1] ?? "";

const project = new UserProject();
let ports: readonly number[];

/** The page's own ports may be taken: free ones stand in their place. */
function withFreePorts(text: string): string {
  return ["4402", "3000", "3001"].reduce(
    (all, port, index) => all.replaceAll(port, String(ports[index])),
    text,
  );
}

beforeAll(async () => {
  buildIfMissing();
  ports = await freePorts(3);
  for (const block of blocks.filter((one) => kindOf(one) === "file"))
    project.write(nameOf(block), withFreePorts(block.code));
});

describe.sequential("docs/getting-started.md", () => {
  it("has three paths: beside an app, in CI, with a scenario file", () => {
    expect(blocks.map(({ marker }) => marker).filter((marker) => marker !== undefined)).toEqual([
      "file: app.mjs",
      "terminal: sandbox",
      "terminal: app",
      "run: order",
      "run: doctor",
      "run: declined",
      "run: look",
      "file: shop.test.mjs",
      "run: ci",
      "file: paid-once.yaml",
      "run: scenario",
    ]);
  });

  it("has a sandbox and an app that start as the page says", async () => {
    const [sandbox, app] = blocks.filter((one) => kindOf(one) === "terminal").map(({ code }) => code);
    await project
      .terminal(withFreePorts(sandbox!), { PAYMENTS_SANDBOX_PORT: String(ports[0]) })
      .printed(/is ready/);
    await project.terminal(withFreePorts(app!), environment()).printed(/listens on port \d+\n/);
  });

  it.each(blocks.filter((one) => kindOf(one) === "run"))(
    "$marker runs unchanged and prints what the page says",
    async ({ code, printed, ending }) => {
      const end = await project.shell(withFreePorts(code), environment());
      expect(end.code, end.stdout + end.stderr).toBe(0);
      if (printed !== undefined) expect(end.stdout).toMatch(asPrinted(printed));
      if (ending !== undefined)
        expect(end.stdout.split("\n").slice(-ending.split("\n").length).join("\n")).toMatch(
          asPrinted(ending),
        );
    },
    60_000,
  );

  it("has tests that fail when the app does not verify webhooks", async () => {
    const app = blocks.find((one) => nameOf(one) === "app.mjs")!.code;
    project.write("app.mjs", withFreePorts(app).replace("webhook.verify(body, headers)", "undefined.id"));
    const ci = blocks.find((one) => nameOf(one) === "ci")!.code;
    const end = await project.shell(withFreePorts(ci), environment());
    expect(end.code).not.toBe(0);
    // The default reporter of `node --test` without a terminal is TAP on Node 20, and another since.
    expect(end.stdout).toMatch(/^(not ok|✖)/m);
  });
});

/** The page's output; `…` stands for values that differ each time. */
function asPrinted(text: string): RegExp {
  return new RegExp(`^${text.split("…").map(escaped).join(".+")}$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The commands look for a sandbox at 4402 unless a variable says otherwise. */
function environment(): Record<string, string> {
  return { PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${ports[0]}` };
}
