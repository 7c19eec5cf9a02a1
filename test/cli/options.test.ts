import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parseStartFlags } from "../../src/cli/main.js";
import {
  addStartOptions,
  environmentVariableOf,
  OPTION_ROWS,
  readStartOptions,
} from "../../src/cli/options.js";
import { type StartOptions, startOptionsSchema } from "../../src/core/schema/option-table.js";
import { UserError } from "../../src/core/schema/user-error.js";
import { temporaryFile } from "../support/folders.js";
import { words } from "../support/words.js";

type Row = (typeof OPTION_ROWS)[number];

/** Keys without flag and variable. */
const CONFIG_ONLY = words`
  webhooks paths event_names signature unreachable retry_schedule
  error_codes fees rates limits amounts retention wire
`;

/** For each option: its text, the parsed value, and invalid text. */
const SAMPLES: Record<string, { text: string; value: unknown; wrong?: readonly string[]; other: string }> = {
  port: { text: "4500", value: 4500, wrong: ["http", "70000", "-1", "4402.5"], other: "4501" },
  host: { text: "127.0.0.2", value: "127.0.0.2", other: "127.0.0.3" },
  public_url: { text: "https://a.test", value: "https://a.test", wrong: ["a.test"], other: "https://b.test" },
  advertise_url: { text: "http://a.test", value: "http://a.test", wrong: ["a.test"], other: "http://b.test" },
  allowed_host: { text: "a.test", value: ["a.test"], other: "b.test" },
  tls_cert: { text: "a.pem", value: "a.pem", other: "b.pem" },
  tls_key: { text: "a.key", value: "a.key", other: "b.key" },
  fixtures: { text: "a.yaml", value: "a.yaml", other: "b.yaml" },
  scenario: { text: "success", value: ["success"], other: "declined" },
  data: { text: "a.data", value: "a.data", other: "b.data" },
  fsync: { text: "true", value: true, wrong: ["perhaps"], other: "false" },
  webhook_url: {
    text: "http://a.test/hooks",
    value: ["http://a.test/hooks"],
    wrong: ["ftp://a.test", "http://"],
    other: "http://b.test/hooks",
  },
  webhook_secret: {
    text: "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0",
    value: "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0",
    wrong: ["secret"],
    other: "whsec_YTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0",
  },
  webhook_timeout: { text: "20s", value: "20s", wrong: ["soon", "15"], other: "30s" },
  hold_limit: { text: "20s", value: "20s", wrong: ["soon"], other: "30s" },
  clock: { text: "60x", value: "60x", wrong: ["fast", "0x"], other: "manual" },
  start_time: {
    text: "2026-01-31T09:00:00Z",
    value: "2026-01-31T09:00:00Z",
    wrong: ["yesterday", "2026-02-30T00:00:00Z"],
    other: "2026-02-01T09:00:00Z",
  },
  seed: { text: "spring", value: "spring", wrong: ["x".repeat(201)], other: "autumn" },
  rate_limit: { text: "off", value: "off", wrong: ["many", "0", "-1", "1.5"], other: "10" },
  auto_namespaces: { text: "on", value: true, wrong: ["perhaps"], other: "0" },
  control_token: { text: "generate", value: "generate", other: "off" },
  json: { text: "1", value: true, wrong: ["perhaps"], other: "no" },
  quiet: { text: "yes", value: true, wrong: ["perhaps"], other: "false" },
};

/** Otherwise a config in the working directory would be read. */
const EMPTY = ["--config", temporaryFile("empty.yaml", "# nothing\n")];

const sample = ({ name }: Row) => SAMPLES[name]!;
const flag = ({ name }: Row): string => `--${name.replaceAll("_", "-")}`;
const configFile = (row: Row, value: unknown): string =>
  temporaryFile("options.json", `{\n  "${row.name}": ${JSON.stringify(value)}\n}\n`);

/** Parses a command line of `start` with commander. */
async function readOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<StartOptions> {
  let flags: Record<string, unknown> = {};
  const command = addStartOptions(new Command().exitOverride()).action((given) => void (flags = given));
  await command.parseAsync(["node", "start", ...args]);
  const { describeConfigFault: _describe, ...options } = await readStartOptions(flags, environment);
  return options;
}

async function refusal(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const error = await readOptions(args, environment).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}

it("every scalar key of a config file has a flag and a variable", () => {
  const keys = [...OPTION_ROWS.map(({ name }) => name as string), ...CONFIG_ONLY];
  expect(keys.sort()).toEqual(Object.keys(startOptionsSchema.shape).sort());
  expect(Object.keys(SAMPLES).sort()).toEqual(OPTION_ROWS.map(({ name }) => name as string).sort());
});

describe.each(OPTION_ROWS.map((row) => [row.name, row] as const))("%s", (name, row) => {
  const { text, value, other } = sample(row);
  const flagWith = (given: string) => (row.kind === "flag" ? [flag(row)] : [`${flag(row)}=${given}`]);
  const variable = environmentVariableOf(name);

  it("a flag, a variable and a config key mean the same", async () => {
    const expected = { [name]: value };
    expect(await readOptions([...EMPTY, ...flagWith(text)], {})).toEqual(expected);
    expect(await readOptions(EMPTY, { [variable]: text })).toEqual(expected);
    expect(await readOptions(["--config", configFile(row, value)], {})).toEqual(expected);
  });

  it("a flag overrides the variable, which overrides the file", async () => {
    const file = ["--config", configFile(row, value)];
    const [byVariable] = Object.values(await readOptions(file, { [variable]: other }));
    expect(byVariable).not.toEqual(value);
    const all = await readOptions([...file, ...flagWith(text)], { [variable]: other });
    expect(all).toEqual({ [name]: value });
    // An empty variable counts as unset.
    expect(await readOptions(file, { [variable]: "" })).toEqual({ [name]: value });
  });
});

it.each(
  OPTION_ROWS.flatMap((row) => (sample(row).wrong ?? []).map((wrong) => [row.name, wrong, row] as const)),
)("%s refuses %s and names the option", async (name, wrong, row) => {
  const variable = environmentVariableOf(name);
  const refused = (by: string) =>
    expect.stringMatching(
      new RegExp(`^${by} (?:must be|is not) [^\\n]+, not "?${wrong.replace(/[.+]/g, "\\$&")}"?$`),
    );
  expect(await refusal(EMPTY, { [variable]: wrong })).toEqual(refused(variable));
  if (row.kind !== "flag")
    expect(await refusal([...EMPTY, `${flag(row)}=${wrong}`], {})).toEqual(refused(flag(row)));
  const inFile = row.kind === "list" ? [wrong] : wrong;
  expect(await refusal(["--config", configFile(row, inFile)], {})).toMatch(
    new RegExp(`options\\.json:2:\\d+ ${name}(\\.0)?: (?:must be|is not) [^\\n]+$`),
  );
});

it("refuses an empty seed and an invalid rate limit", async () => {
  expect(await refusal([...EMPTY, "--seed="], {})).toMatch(/^--seed [^\n]+, not ""$/);
  expect(await refusal([...EMPTY, "--rate-limit=0"], {})).toContain("must be a number from 1, or off");
});

it("refuses a misspelled variable with a known prefix", async () => {
  expect(await refusal(EMPTY, { PAYMENTS_SANDBOX_PROT: "4500" })).toBe(
    "there is no variable PAYMENTS_SANDBOX_PROT; did you mean PAYMENTS_SANDBOX_PORT?",
  );
  const others = {
    PAYMENTS_SANDBOX_URL: "http://x.test",
    PAYMENTS_SANDBOX_IMAGE_NAME: "x",
    PAYMENTS_PORT: "1",
  };
  expect(await readOptions(EMPTY, others)).toEqual({});
});

it("a list takes repeated flags, or a variable separated by commas", async () => {
  const expected = { scenario: ["slow", "declined"] };
  expect(await readOptions([...EMPTY, "--scenario", "slow", "--scenario", "declined"], {})).toEqual(expected);
  expect(await readOptions(EMPTY, { PAYMENTS_SANDBOX_SCENARIO: "slow, declined" })).toEqual(expected);
});

it.each([
  [],
  ["-p", "0", "--json", "--quiet"],
  ["--port=0", "--clock", "manual", "--rate-limit", "off"],
  ["--webhook-url", "a", "--forward-to", "b", "--forward-to=c", "-c", "x.yaml"],
  ["--scenario", "a", "--scenario", "b,c", "--seed", "-1", "--public-url="],
])("parses a plain start as commander does: %s", (...words) => {
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
])("commander parses any other command line: %s", (...words) => {
  expect(parseStartFlags(words)).toBeUndefined();
});
