/** The middle value: one slow round (another process woke up) must not move the result. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value that a share `q` of an ascending list does not exceed (nearest rank). */
export function quantile(sorted, q) {
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)];
}

/**
 * How many times as large `values` are as `base`, round by round: what slowed one round down slowed both servers,
 * so this is steadier than the ratio of two medians.
 */
export function medianRatio(values, base) {
  return median(values.map((value, round) => value / base[round]));
}
