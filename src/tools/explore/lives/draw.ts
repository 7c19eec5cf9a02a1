import { array, asyncProperty, check, nat } from "fast-check";
import type { ExploreFinding } from "../exploration.js";
import type { LifeAct } from "./acts.js";
import type { LifeName } from "./chosen-lives.js";
import { type LifeEnd, type LifeHost, live } from "./life.js";
import { faultsOf, type LifeFault } from "./life-judge.js";
import type { References } from "./references.js";

/** A fault, and the end of a life that shows it. */
interface Shown {
  readonly fault: LifeFault;
  readonly end: LifeEnd;
}

/** A life that was drawn and fails, as short as it can be. */
interface FailingLife extends Shown {
  readonly seen: ExploreFinding["seen"];
  readonly name: LifeName;
  /** Keys of all faults of the life that was drawn. */
  readonly keys: readonly string[];
}

export interface Draw {
  readonly host: LifeHost;
  readonly references: References;
  /** Returns why no further life may begin; undefined while time is left. */
  readonly overReason: () => string | undefined;
  /** Called with each life, but for those that shorten another. */
  readonly onLife: (end: LifeEnd) => void;
}

/** Maximum number of draws of a life. */
const MAX_NUMBERS = 10;
/** Maximum number of lives by which fast-check shortens one, before acts are left out one by one. */
const MAX_SHRINKS = 40;
/** Largest drawn number. There are 720,720, so that each of up to 16 draws is as likely, and of more nearly so. */
const MAX_NUMBER = 720_719;

const numbers = () => array(nat(MAX_NUMBER), { minLength: 1, maxLength: MAX_NUMBERS, size: "max" });

/**
 * Draws lives until one fails, or so many have been drawn.
 *
 * @param known keys of faults: a life that has one of them does not count
 */
export async function drawLives(
  draw: Draw,
  { seed, path }: { readonly seed: number; readonly path?: string },
  lives: number,
  known: ReadonlySet<string>,
): Promise<FailingLife | undefined> {
  const { host, references, overReason, onLife } = draw;
  let failing: LifeEnd | undefined;
  let shrinks = 0;
  let broken: unknown;
  const property = asyncProperty(numbers(), async (drawn) => {
    if (failing !== undefined && ++shrinks > MAX_SHRINKS) return;
    if (overReason() !== undefined) return;
    const end = await live(host, drawn).catch((error: unknown) => {
      broken = error;
      throw error;
    });
    if (failing === undefined) onLife(end);
    const faults = faultsOf(end, references, host.hasAttempt);
    if (faults.length === 0 || faults.some(({ key }) => known.has(key))) return;
    failing = end;
    throw new Error(faults[0]!.message);
  });
  const replay = path === undefined ? { numRuns: lives } : { path, endOnFailure: true, numRuns: 1 };
  const { counterexamplePath } = await check(property, { seed, ...replay });
  if (broken !== undefined) throw broken;
  if (failing === undefined || counterexamplePath === null) return undefined;
  const faults = faultsOf(failing, references, host.hasAttempt);
  const keys = faults.map(({ key }) => key);
  const shown = await shortest(draw, { end: failing, fault: faults[0]! }, keys[0]!);
  const again = await failingAs(draw, shown.end.acts, keys[0]!);
  const seen = { runs: again === undefined ? 1 : 2, of: 2 };
  return { name: { seed, path: counterexamplePath }, keys, seen, ...shown };
}

/** Leaves out acts until each that is left is needed. An act of two at the same moment is also tried as one, or in turn. */
async function shortest(draw: Draw, shown: Shown, key: string): Promise<Shown> {
  let found = shown;
  for (let at = 0; at < found.end.acts.length; ) {
    const { acts: all } = found.end;
    const act = all[at]!;
    const parts = act.do === "at_once" ? [[], ...act.acts.map((one) => [one]), act.acts] : [[]];
    let shorter: Shown | undefined;
    for (const part of parts) shorter ??= await failingAs(draw, all.toSpliced(at, 1, ...part), key);
    // Another act may not be needed any more either.
    at = shorter === undefined ? at + 1 : 0;
    found = shorter ?? found;
  }
  return found;
}

async function failingAs(draw: Draw, acts: readonly LifeAct[], key: string): Promise<Shown | undefined> {
  const end = await live(draw.host, acts);
  const fault = faultsOf(end, draw.references, draw.host.hasAttempt).find((one) => one.key === key);
  return fault && { fault, end };
}
