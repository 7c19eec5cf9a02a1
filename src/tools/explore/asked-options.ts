import { DEFAULT_EXPLORE_DEPTH, type ExploreDepth } from "../../core/schema/explore-limits.js";
import { durationToMs } from "../../core/schema/time.js";
import { chosenSets } from "./incident-log/shown-deviations.js";
import { chosenLives } from "./lives/chosen-lives.js";

/** Options of `explore` in the library that others are made from. */
interface AskedOptions {
  readonly depth?: ExploreDepth | undefined;
  readonly budget?: string | undefined;
  readonly only?: string | undefined;
  readonly from?: string | undefined;
  readonly lives?: number | undefined;
  readonly seed?: number | undefined;
}

/** Options as the library has them. */
export type AsAsked<Options> = AskedOptions &
  Omit<Options, "depth" | "budgetMs" | "only" | "shown" | "lives">;

/** @param canLive as `chosenLives` takes it */
export function readAsked<Others extends object>(
  { depth = DEFAULT_EXPLORE_DEPTH, budget, only, from, lives, seed, ...others }: AskedOptions & Others,
  canLive?: boolean,
) {
  return {
    ...others,
    depth,
    budgetMs: budget === undefined ? undefined : durationToMs(budget),
    ...chosenSets({ only, from }),
    lives: chosenLives({ lives, seed, only, from }, "", canLive),
  };
}
