/** Minimum number of similar pauses that count as a constant interval. */
const PACE_PAUSES = 5;
/** A pause counts as longer than another if it is this many times as long. */
const GROWTH = 1.5;
/** Tolerance for a late timer. */
const TIMER_TOLERANCE_MS = 250;
/** Minimum total growth of pauses. A smaller growth can be chance. */
const GROWTH_MIN_MS = 50;
/** After this many steps of growth the interval may stay constant. */
const BACKOFF_STEPS = 2;

/**
 * Returns true if a client polls without backoff. Example: five pauses of about a second. Pauses that grow
 * steadily count as backoff. Constant pauses after `BACKOFF_STEPS` steps of growth also count as backoff.
 */
export function isWithoutBackoff(pauses: readonly number[]): boolean {
  return pauses.some((pause, index) => {
    const alike = pauses.slice(index).filter((other) => other <= grownFrom(pause));
    return alike.length >= PACE_PAUSES && !isGrowing(alike) && !hasBackedOff(pauses, index);
  });
}

function grownFrom(pause: number): number {
  return pause * GROWTH + TIMER_TOLERANCE_MS;
}

/** True if the pauses grew step by step up to the index and did not shrink again. */
function hasBackedOff(pauses: readonly number[], index: number): boolean {
  let steps = 0;
  let longest = pauses[0]!;
  for (const pause of pauses.slice(0, index + 1))
    if (pause >= grownFrom(longest)) {
      steps++;
      longest = pause;
    }
  return steps >= BACKOFF_STEPS && median(pauses.slice(index)) >= pauses[0]! * GROWTH ** BACKOFF_STEPS;
}

/** True if each pause is longer than the one before, and not by chance. */
function isGrowing(pauses: readonly number[]): boolean {
  return (
    pauses.at(-1)! - pauses[0]! >= GROWTH_MIN_MS &&
    pauses.every((pause, index) => index === 0 || pause > pauses[index - 1]!)
  );
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
