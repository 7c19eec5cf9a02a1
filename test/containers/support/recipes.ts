import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { blocksOf } from "../../docs/support/pages.js";
import { ROOT } from "../../support/built.js";

/** A container of a recipe that runs the sandbox. */
export interface Recipe {
  readonly name: string;
  /** Command line for the engine, including `npx`. */
  readonly argv: readonly string[];
  readonly env: Record<string, string>;
}

interface Service {
  readonly image?: string;
  readonly name?: string;
  readonly command: string | readonly string[];
  readonly env?: Record<string, string>;
  readonly environment?: Record<string, string>;
  readonly healthcheck: { readonly test: readonly string[] };
}

const page = readFileSync(join(ROOT, "docs/shared-sandbox.md"), "utf8");
const blocks = blocksOf("docs/shared-sandbox.md");
const yaml = blocks.filter(({ language }) => language === "yaml").map(({ code }) => parse(code));
const sh = blocks.filter(({ language }) => language === "sh").map(({ code }) => code.replaceAll("\\\n", " "));

function only<T>(what: string, found: readonly T[]): T {
  if (found.length !== 1) throw new Error(`docs/shared-sandbox.md has ${found.length} ${what}, not one`);
  return found[0]!;
}

/** Splits a command as a shell does; the commands have no quotes. */
function words(command: string | readonly string[]): string[] {
  if (typeof command !== "string") return command.map(String);
  if (/["'\\$]/.test(command)) throw new Error(`a command that is not plain words: ${command}`);
  return command.trim().split(/\s+/);
}

function shellLine(...parts: string[]): string {
  return only(
    `lines with ${parts.join(", ")}`,
    sh.flatMap((code) => code.split("\n")).filter((line) => parts.every((part) => line.includes(part))),
  );
}

export const COMPOSE = only(
  "compose files",
  yaml.filter((one) => one.services !== undefined).map(({ services }) => services as Record<string, Service>),
);

const dockerRun = shellLine("docker run --rm --init");

const compose: Recipe = {
  name: "compose",
  argv: words(COMPOSE.payments!.command),
  env: COMPOSE.payments!.environment!,
};
const docker: Recipe = {
  name: "docker run",
  argv: words(dockerRun.slice(dockerRun.indexOf("npx"))),
  env: Object.fromEntries([...dockerRun.matchAll(/-e (\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
};
const [, optionsOnTheHost] = /`(--host [^`]* --webhook-url [^`]*)`/.exec(page)!;

const onTheHost: Recipe = {
  name: "on the host",
  argv: words(`npx payments-sandbox start ${optionsOnTheHost}`),
  env: {},
};

export const RECIPES = { compose, docker, onTheHost };
