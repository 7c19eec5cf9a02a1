import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { documentFromValue } from "../../../src/core/files/documents.js";
import type { StartOptions } from "../../../src/core/schema/option-table.js";
import { openSandbox } from "../../../src/library/opening.js";
import {
  type ComparedSandbox,
  type Comparison,
  compare,
  openInbox,
  type Repair,
  renamesOf,
} from "../../../src/tools/compare/compare.js";
import { merge } from "../../../src/tools/compare/repairs.js";
import { buildIfMissing } from "../../support/built.js";
import { atEnd } from "../../support/lifetime.js";

export interface StandIn {
  readonly url: string;
  readonly key: string;
}

/** Starts services in another process; each has one difference, by its name. */
export async function startServices(names: readonly string[]): Promise<Record<string, StandIn>> {
  buildIfMissing();
  const script = fileURLToPath(new URL("service.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, ...names], { stdio: ["pipe", "pipe", "inherit"] });
  atEnd(() => void child.stdin.end());
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes("\n")) break;
  }
  return JSON.parse(text) as Record<string, StandIn>;
}

/** Opens a sandbox with a repair, on a manual clock. */
export function opener(base: object = {}) {
  return async (seed: string, { config = {}, fixtures }: Repair): Promise<ComparedSandbox> => {
    const merged = merge(base, config) as StartOptions;
    const sandbox = await openSandbox({
      ...merged,
      ...(fixtures === undefined ? {} : { furtherFixtures: documentFromValue(fixtures, "fixtures") }),
      clock: "manual",
      unreachable: "fail",
      rate_limit: merged.rate_limit ?? 100,
      seed,
    });
    return {
      apiKey: sandbox.apiKey,
      renames: renamesOf(merged.wire),
      fetch: (request) => sandbox.fetch(request),
      advance: (by) => sandbox.advance(by),
      close: () => sandbox.close(),
    };
  };
}

export interface CompareSettings {
  readonly repair?: boolean;
  readonly burst?: boolean;
  readonly payouts?: boolean;
  readonly base?: object;
  readonly applied?: Repair;
}

/** Compares a stand-in with webhooks. */
export async function compareWith(
  service: StandIn,
  { applied = {}, base = {}, ...settings }: CompareSettings = {},
): Promise<Comparison> {
  const inbox = await openInbox(0, "127.0.0.1", () => Date.now());
  atEnd(() => inbox.close());
  const open = opener(base);
  return compare({
    service,
    open: (seed, repair) => open(seed, merge(applied, repair) as Repair),
    listen: { url: `http://127.0.0.1:${inbox.port}/`, inbox },
    payouts: false,
    burst: false,
    repair: false,
    ...settings,
  });
}
