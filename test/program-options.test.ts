import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it.each(["kills", "right-shops", "incidents", "explore-mutants", "mutants"])(
  "scripts/%s.mjs refuses an unknown option in one line",
  (name) => {
    const path = fileURLToPath(new URL(`../scripts/${name}.mjs`, import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [path, "--nope"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(new RegExp(`^${name}: Unknown option '--nope'.*\n$`)),
    });
  },
);
