/**
 * An aligned plain table: the first column to the left, the others (numbers) to the right.
 *
 * @param {string} title
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(title, head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd();
  return [title, line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line), ""].join(
    "\n",
  );
}

export function ms(value) {
  return value.toFixed(value < 10 ? 2 : 0);
}

export function perSecond(value) {
  return value.toFixed(0);
}

export function times(value) {
  return `${value.toFixed(2)}x`;
}
