import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { Command } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";
import { PRESSES, pressedApp } from "./support.js";

/** The plain runs submit three times, the next run twice. */
it.each([
  ["the app passed the plain run", 2],
  ["the end", 5],
])("a SIGINT before %s ends the command with the findings so far", async (_, lastPress) => {
  const sandbox = await openSandbox();
  const { url } = await sandbox.listen();
  let command: Command | undefined;
  const interrupt = (presses: number) => void (presses === lastPress && command?.signal("SIGINT"));
  const app = `http://127.0.0.1:${await listening(createServer(pressedApp(interrupt)))}`;
  const junit = join(temporaryFolder(), "explore.xml");
  const asked = ["explore", fileWith(PRESSES), "--url", url, "--app", app];
  command = new Command([...asked, "--json", "--junit", junit]);
  const { code, stdout, stderr } = await command.ended;
  if (lastPress === 2) {
    expect(code).toBe(2);
    expect(stderr).toMatch(/^payments-sandbox: [^\n]+: interrupted before the app was seen to go right\n$/);
  } else {
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
    const { complete_depth, findings, sentence } = JSON.parse(stdout);
    expect({ complete_depth, findings }).toEqual({ complete_depth: 0, findings: [] });
    expect(readFileSync(junit, "utf8")).toContain(`<skipped message="${sentence}"/>`);
  }
});
