import type { ExploreFinding } from "../../explore/report.js";
import { cut } from "../cut.js";
import type { Paint } from "../paint.js";

type Story = NonNullable<ExploreFinding["story"]>;
/** A line of either run, or of both. */
type Row = readonly [plain: string | undefined, failing: string | undefined];

/** So much is told of what came before the two runs parted, and after. */
const BEFORE = 2;
const AFTER = 10;
/** Narrower than that, two columns hold nothing. */
const TWO_COLUMNS = 80;
const INDENT = 2;
const PLAIN = "a plain run";
const THIS = "this one";

/** A plain run beside the one that failed, from where they part; one below the other where there is little room. */
export function storyLines({ plain, failing }: Story, width: number, paint: Paint): string[] {
  const rows = aligned(plain, failing);
  const parting = rows.findIndex(([one, other]) => one !== other);
  if (parting === -1) return [];
  const from = Math.max(0, parting - BEFORE);
  const shown = rows.slice(from, parting + AFTER);
  const left = rows.length - parting - AFTER;
  const pad = " ".repeat(INDENT);
  const lines =
    width >= TWO_COLUMNS ? beside(shown, parting - from, width, paint) : below(shown, parting - from, paint);
  return [
    ...(from > 0 ? [paint("dim", `${pad}  … ${from} before, the same in both`)] : []),
    ...lines.map((line) => `${pad}${line}`),
    ...(left > 0 ? [paint("dim", `${pad}  … ${left} more`)] : []),
  ];
}

function beside(rows: readonly Row[], parting: number, width: number, paint: Paint): string[] {
  const room = Math.floor((width - INDENT - 2 - 3) / 2);
  const left = Math.min(room, Math.max(PLAIN.length, ...rows.map(([one = ""]) => one.length)));
  const line = (mark: string, one: string, other: string) =>
    `${mark} ${cut(one, left).padEnd(left)} │ ${cut(other, room)}`.trimEnd();
  return [
    paint("bold", line(" ", PLAIN, THIS)),
    ...rows.map(([one = "", other = ""], index) =>
      index === parting ? paint("red", line("≠", one, other)) : line(" ", one, other),
    ),
  ];
}

function below(rows: readonly Row[], parting: number, paint: Paint): string[] {
  const column = (title: string, which: 0 | 1) => [
    paint("bold", `  ${title}`),
    ...rows.flatMap((row, index) => {
      const text = row[which] ?? (index === parting ? "(not yet)" : undefined);
      if (text === undefined) return [];
      return [index === parting ? paint("red", `≠ ${text}`) : `  ${text}`];
    }),
  ];
  return [...column(PLAIN, 0), ...column(THIS, 1)];
}

/** Lines that both have stand beside one another: the longest common subsequence. */
function aligned(plain: readonly string[], failing: readonly string[]): Row[] {
  const lengths = plain.map(() => new Array<number>(failing.length + 1).fill(0));
  lengths.push(new Array<number>(failing.length + 1).fill(0));
  for (let one = plain.length - 1; one >= 0; one--)
    for (let other = failing.length - 1; other >= 0; other--)
      lengths[one]![other] =
        plain[one] === failing[other]
          ? lengths[one + 1]![other + 1]! + 1
          : Math.max(lengths[one + 1]![other]!, lengths[one]![other + 1]!);
  const rows: Row[] = [];
  let one = 0;
  let other = 0;
  while (one < plain.length || other < failing.length)
    if (one < plain.length && plain[one] === failing[other]) rows.push([plain[one++], failing[other++]]);
    else if (
      other >= failing.length ||
      (one < plain.length && lengths[one + 1]![other]! >= lengths[one]![other + 1]!)
    )
      rows.push([plain[one++], undefined]);
    else rows.push([undefined, failing[other++]]);
  return rows;
}
