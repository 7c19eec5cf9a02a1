import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { markedBlock } from "./support/pages.js";

it.skipIf(spawnSync("java", ["--version"]).status !== 0)(
  "Java: the class on the page passes (skipped without java)",
  () => {
    const folder = temporaryFolder();
    const command = join(folder, "payments-sandbox");
    writeFileSync(
      command,
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "bin/payments-sandbox.js")}" "$@"\n`,
    );
    chmodSync(command, 0o755);
    const { code } = markedBlock("docs/languages.md", "java: Sandbox.java");
    writeFileSync(join(folder, "Sandbox.java"), code);
    const env = { PATH: `${folder}:${process.env.PATH}` };
    // A run of a second compiles only little of its code.
    const quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
    expect(execFileSync("java", [...quick, "Sandbox.java"], { encoding: "utf8", cwd: folder, env })).toBe(
      "200\n",
    );
  },
);
