import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { createSandbox, ExploreFinding, Sandbox } from "../../../src/library/index.js";
import { BUGS, type Bug } from "./bugs.js";
import { flowOf } from "./flow.js";
import { priceOf } from "./order.js";
import { Shop } from "./shop.js";
import type { Traits } from "./traits.js";

export interface OpenedShop {
  readonly sandbox: Sandbox;
  readonly shop: Shop;
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Opens a sandbox and a shop that uses it. */
export async function openShop(create: typeof createSandbox, traits: Traits, bug?: Bug): Promise<OpenedShop> {
  // Sandbox and shop share a thread: a pause of it must not look like a shop that does not respond.
  const sandbox = await create({ clock: "manual", rateLimit: "off", webhookTimeout: "10m" });
  const { url: service } = await sandbox.listen();
  const { currency } = priceOf(traits);
  await sandbox.control("POST", "/_sandbox/balances", { currency, amount: "100000000.00" });
  const { apiKey, webhookSecret } = sandbox;
  const shop = new Shop(traits, bug, { url: service, apiKey, webhookSecret });
  const { server, url } = await shop.listen();
  if (traits.learns !== "polling")
    await sandbox.control("POST", "/_sandbox/webhook-endpoints", { url: `${url}/webhooks` });
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await sandbox.close();
  };
  return { sandbox, shop, url, close };
}

export interface Trial {
  readonly findings: readonly ExploreFinding[];
  readonly notes: readonly string[];
  readonly runs: number;
  readonly ms: number;
  /** Why the exploration, or one of its runs, could not be made. */
  readonly error?: string;
}

/** Kinds of wrong money, which only `failOn` tries. */
const WRONG_MONEY = ["underpaid", "overpaid", "paid_in_other_currency"];

/** Explores a shop. An exploration of a bug ends with the first finding. */
export async function exploreShop(create: typeof createSandbox, traits: Traits, bug?: Bug): Promise<Trial> {
  if (bug === undefined) return explore(create, traits, bug, undefined);
  const found = new AbortController();
  const trial = await explore(create, traits, bug, found);
  // A finding can be withdrawn when its run is repeated.
  const isWithdrawn = found.signal.aborted && trial.findings.length === 0;
  return isWithdrawn ? explore(create, traits, bug, undefined) : trial;
}

/** How a report says that a run could not be made, which must not pass for silence. */
const BROKE_OFF = "it broke off";

async function explore(
  create: typeof createSandbox,
  traits: Traits,
  bug: Bug | undefined,
  found: AbortController | undefined,
): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "right-shop-"));
  const file = join(folder, "flow.yaml");
  writeFileSync(file, flowOf(traits));
  const beginMs = performance.now();
  const { sandbox, url, close } = await openShop(create, traits, bug);
  try {
    const { findings, notes, runs, not_tried } = await sandbox.explore(file, {
      ...{ app: url, depth: 1, throws: false, failOn: WRONG_MONEY },
      ...(found === undefined ? {} : { signal: found.signal }),
      onRun: (_runs, count) => void (count > 0 && found?.abort()),
    });
    const broken = not_tried.find(({ reason }) => reason.startsWith(BROKE_OFF));
    const error = broken && {
      error: `${broken.kind} at ${broken.at}: ${broken.reason.replaceAll(file, "flow")}`,
    };
    return { findings, notes, runs, ms: performance.now() - beginMs, ...error };
  } catch (thrown) {
    const error = (thrown as Error).message.replaceAll(file, "flow");
    return { findings: [], notes: [], runs: 0, ms: performance.now() - beginMs, error };
  } finally {
    await close();
    rmSync(folder, { recursive: true });
  }
}

export function isAccused({ findings, error }: Trial): boolean {
  return findings.length > 0 || error !== undefined;
}

/** Describes the findings, each in one line. */
export function accusationsOf({ findings, error }: Trial): string[] {
  const texts = findings.map(
    ({ oracle, message, deviations }) => `${oracle}: ${setText(deviations)}: ${message}`,
  );
  return error === undefined ? texts : [...texts, `not explored: ${error}`];
}

function setText(deviations: ExploreFinding["deviations"]): string {
  return deviations.map(({ kind, at }) => `${kind} at ${at}`).join(", ") || "nothing going wrong";
}

/** Says why a bug was not found; undefined if it was, by a deviation that does not accuse the right shop too. */
export function reasonOfMiss(bug: Bug, { findings, notes, error }: Trial, right: Trial): string | undefined {
  const accusing = right.findings.map(({ deviations }) => setText(deviations));
  const own = findings.filter(
    ({ deviations }) => deviations.length > 0 && !accusing.includes(setText(deviations)),
  );
  if (own.length > 0) return undefined;
  if (error !== undefined) return error;
  if (findings.length > 0) return "the right shop is accused by the same deviation";
  const kinds: readonly string[] = BUGS[bug].kinds;
  const noted = notes.find((note) => kinds.some((kind) => note.includes(kind)));
  return noted === undefined ? "nothing found" : `only noted: ${noted}`;
}
