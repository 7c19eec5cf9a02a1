import { DEFAULT_LIVES } from "../../../core/schema/explore-limits.js";
import { UserError } from "../../../core/schema/user-error.js";

/** Names a life that was drawn. */
export interface LifeName {
  readonly seed: number;
  /** Path of fast-check to the life. */
  readonly path: string;
}

/** The lives that `explore` is asked for. */
export interface LivesOptions {
  /** Number of lives. */
  readonly lives: number;
  readonly seed?: number | undefined;
  /** The only life to carry out. */
  readonly only?: LifeName | undefined;
}

const LIFE = "life ";

export function lifeText({ seed, path }: LifeName): string {
  return `${LIFE}${seed}:${path}`;
}

interface Asked {
  readonly lives?: number | undefined;
  readonly seed?: number | undefined;
  readonly only?: string | undefined;
  readonly from?: string | undefined;
}

/**
 * Reads the lives that options ask for; undefined for none. Where `only` names deviations, or `from` a log, there are none.
 *
 * @param canLive the flow has lives
 */
export function chosenLives(
  canLive: boolean,
  { lives, seed, only, from }: Asked,
  dashes: "" | "--" = "",
): LivesOptions | undefined {
  const life = only === undefined ? undefined : parseLife(only, `${dashes}only`);
  const [name] =
    Object.entries({ lives, seed, [`only ${only}`]: life }).find(([, one]) => one !== undefined) ?? [];
  if (!canLive && name !== undefined) throw new UserError(`explore: ${dashes}${name}: the flow has no lives`);
  if (!canLive || from !== undefined || (only !== undefined && life === undefined)) return undefined;
  return { lives: lives ?? DEFAULT_LIVES, seed, only: life };
}

/** Reads the lives of a file, which has them if an option asks for them. */
export function fileLives(asked: Asked, dashes: "" | "--" = ""): LivesOptions | undefined {
  const { lives, only } = asked;
  return chosenLives(lives !== undefined || (only !== undefined && namesLife(only)), asked, dashes);
}

/** Returns true for a name as of a life, not of deviations. */
export function namesLife(only: string): boolean {
  return `${only} `.startsWith(LIFE);
}

/**
 * Reads `life SEED:PATH`; undefined for a text that names deviations. Throws a UserError for another life.
 *
 * @param option prefix of the error
 */
function parseLife(text: string, option: string): LifeName | undefined {
  if (!namesLife(text)) return undefined;
  const [, seed, path] = /^life (\d{1,10}):(\d+(?::\d+)*)$/.exec(text) ?? [];
  if (path !== undefined) return { seed: Number(seed), path };
  throw new UserError(`${option}: ${text} names no life: give it as a report does, such as life 42:17:3`);
}
