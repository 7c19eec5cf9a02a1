/** So many pauses of one length are a pace. */
const PACE = 5;
/** A pause that is so much longer than another has grown. What is less may be chance: a timer's, a network's. */
const GROWTH = 1.5;
/** Whose pauses have grown so often has backed off, and may then stay where it is. */
const BACKOFF_STEPS = 2;

/**
 * Whether something was read again and again without growing pauses: there is one that at least four later ones are no
 * longer than, but for chance, and the pauses had not grown to it before. Long pauses among them or afterwards change
 * nothing, nor does how exact the clock is.
 */
export function isPolledWithoutBackoff(times: readonly number[]): boolean {
  const pauses = times
    .slice(1)
    .map((time, index) => time - times[index]!)
    // Reads at one instant of a clock that stands are no pace, and time goes back only with a restore.
    .filter((pause) => pause > 0);
  return pauses.some((pause, index) => {
    const alike = pauses.slice(index).filter((other) => other <= pause * GROWTH);
    return alike.length >= PACE && !isGrowing(alike) && !hasBackedOff(pauses, index);
  });
}

/** Whether the pauses had grown step by step up to that one, and did not shrink again. */
function hasBackedOff(pauses: readonly number[], index: number): boolean {
  let steps = 0;
  let longest = pauses[0]!;
  for (const pause of pauses.slice(0, index + 1))
    if (pause >= longest * GROWTH) {
      steps++;
      longest = pause;
    }
  return steps >= BACKOFF_STEPS && median(pauses.slice(index)) >= pauses[0]! * GROWTH ** BACKOFF_STEPS;
}

/** Little by little, but each pause is longer than the one before. */
function isGrowing(pauses: readonly number[]): boolean {
  return pauses.every((pause, index) => index === 0 || pause > pauses[index - 1]!);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
