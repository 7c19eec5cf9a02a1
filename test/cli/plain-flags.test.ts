import { Command } from "commander";
import { expect, it } from "vitest";
import { addStartOptions } from "../../src/cli/options.js";
import { parseStartFlags } from "../../src/cli/plain-flags.js";

it.each([
  [],
  ["-p", "0", "--json", "--quiet"],
  ["--port=0", "--clock", "manual", "--rate-limit", "off"],
  ["--webhook-url", "a", "--forward-to", "b", "--forward-to=c", "-c", "x.yaml"],
  ["--scenario", "a", "--scenario", "b,c", "--seed", "-1", "--public-url="],
])("a plain start is read as commander reads it: %s", (...words) => {
  const command = addStartOptions(new Command()).exitOverride();
  command.parse(words, { from: "user" });
  expect(parseStartFlags(words)).toEqual(command.opts());
});

it.each([
  ["--help"],
  ["-h"],
  ["--version"],
  ["status"],
  ["exec", "--json"],
  ["--prot", "0"],
  ["--port"],
  ["--json=yes"],
  ["-p0"],
  ["--json", "--", "x"],
  ["--json", "start"],
])("any other line is left to it: %s", (...words) => {
  expect(parseStartFlags(words)).toBeUndefined();
});
