import { cpus, loadavg } from "node:os";

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Nearest rank in an ascending list. */
export function quantile(sorted, share) {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** Median of the ratios of each round: steadier than the ratio of two medians, because a slow round slows both servers. */
export function medianRatio(values, base) {
  return median(values.map((value, round) => value / base[round]));
}

/** An aligned table; the first column is left-aligned, all others are right-aligned. */
export function table(title, head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const lines = all.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))),
  );
  const [first, ...rest] = lines.map((cells) => cells.join("  ").trimEnd());
  return [title, first, widths.map((width) => "-".repeat(width)).join("  "), ...rest, ""].join("\n");
}

export const round = (value, digits = 0) => (value === undefined ? "?" : value.toFixed(digits));

export const whole = (value) => Math.round(value).toLocaleString("en");

/** Date, versions and processors; warns if the machine is busy. */
export function machineLine() {
  const [load] = loadavg();
  const busy =
    load > 0.7 ? `\nThe machine is busy (load ${load.toFixed(1)}): do not rely on the figures.` : "";
  const processors = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "?"}`;
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform} ${process.arch}, ${processors}${busy}\n`;
}

/** Runs a program of this folder, and prints an error as one line. */
export function runMain(main) {
  main().catch((error) => {
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 1;
  });
}
