/** So many pauses of one length are a pace. */
const PACE = 5;
/** A pause that is so much longer than another has grown. What is less may be chance: a timer's, a network's. */
const GROWTH = 1.5;
/** A busy machine makes a pause longer by as much, now and then. */
const HICCUP_MS = 250;
/** Pauses that are longer by so little, each than the one before, are so by chance. */
const CHANCE_MS = 50;
/** Whose pauses have grown so often has backed off, and may then stay where it is. */
const BACKOFF_STEPS = 2;

/**
 * Whether something was read again and again without growing pauses: there is one that at least four later ones are no
 * longer than, but for chance, and the pauses had not grown to it before. Long pauses among them or afterwards change
 * nothing, nor does how exact the clock is.
 */
export function isWithoutBackoff(pauses: readonly number[]): boolean {
  return pauses.some((pause, index) => {
    const alike = pauses.slice(index).filter((other) => other <= grownFrom(pause));
    return alike.length >= PACE && !isGrowing(alike) && !hasBackedOff(pauses, index);
  });
}

/** What is longer than a pause by chance is shorter than that. */
function grownFrom(pause: number): number {
  return pause * GROWTH + HICCUP_MS;
}

/** Whether the pauses had grown step by step up to that one, and did not shrink again. */
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

/** Little by little, but each pause is longer than the one before, and the last by more than chance. */
function isGrowing(pauses: readonly number[]): boolean {
  return (
    pauses.at(-1)! - pauses[0]! >= CHANCE_MS &&
    pauses.every((pause, index) => index === 0 || pause > pauses[index - 1]!)
  );
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
