import { DEFAULT_LIVES, LIFE_NAME } from "../../../core/schema/explore-limits.js";
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
 * @param canLive the flow has lives; that of a file has them if an option asks for them
 */
export function chosenLives(
  { lives, seed, only, from }: Asked,
  dashes: "" | "--" = "",
  canLive = lives !== undefined || namesLife(only),
): LivesOptions | undefined {
  const life = namesLife(only) ? parseLife(only, `${dashes}only`) : undefined;
  const asked = Object.entries({ lives, seed, [`only ${only}`]: life }).find(([, one]) => one !== undefined);
  if (!canLive && asked !== undefined) throw new UserError(`explore: ${asked[0]}: the flow has no lives`);
  if (!canLive || from !== undefined || (only !== undefined && life === undefined)) return undefined;
  return { lives: lives ?? DEFAULT_LIVES, seed, only: life };
}

/** Returns true for a name as of a life, not of deviations. */
export function namesLife(only: string | undefined): only is string {
  return only !== undefined && `${only} `.startsWith(LIFE);
}

/** Reads `life SEED:PATH`. Throws a UserError for another text. */
function parseLife(text: string, option: string): LifeName {
  const [, seed, path] = LIFE_NAME.exec(text) ?? [];
  if (path !== undefined) return { seed: Number(seed), path };
  throw new UserError(`${option}: ${text} names no life: give it as a report does, such as life 42:17:3`);
}
