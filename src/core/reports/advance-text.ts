// Words for what happened while time was advanced.
import type { AdvanceReport, Happened } from "../schema/control-insight-responses.js";
import { formatCount } from "../schema/text-format.js";
import { readableDuration } from "../schema/time.js";

const FAILED = "webhook.failed";

/** `1 webhook attempt failed, 3 charges completed, 2 settlements`; what failed comes first. */
export function countsText(counts: AdvanceReport["counts"]): string {
  const kinds = Object.keys(counts).sort((a, b) => Number(b === FAILED) - Number(a === FAILED));
  const parts = kinds.map((kind) => {
    const [noun, happened] = kind === FAILED ? ["webhook attempt", "failed"] : wordsOf(kind);
    return [formatCount(counts[kind]!, noun), happened].filter(Boolean).join(" ");
  });
  return parts.join(", ") || "nothing happened";
}

/** An advance in one line, with the first failure. */
export function advanceText({ from, to, counts, failures: [failure] }: AdvanceReport): string {
  const by = readableDuration(Date.parse(to) - Date.parse(from));
  const error = failure === undefined ? "" : `. First failure: ${happenedText(failure)}`;
  return `Advanced ${by} to ${to.slice(11, 19)}: ${countsText(counts)}${error}`;
}

/** `charge.partially_refunded` → `charge`, `partially refunded`. */
function wordsOf(kind: string): [noun: string, happened: string] {
  const [noun = kind, happened = ""] = kind.replace(/^sandbox\./, "").split(".");
  return [noun, happened.replaceAll("_", " ")];
}

/** `09:00:05 ch_0123 failed: declined`, `09:00:05 charge.failed → localhost:3000/hooks failed: 500 TypeError`. */
export function happenedText({ at, kind, id, type, receiver, error }: Happened): string {
  const [noun, happened] = wordsOf(kind);
  const subject = type === null ? `${id} ${happened || noun}` : `${type} → ${receiver} ${happened}`;
  return `${at.slice(11, 19)} ${subject}${error === null ? "" : `: ${error}`}`;
}
