import type { Answer } from "../../core/schema/receiver-report.js";
import type { Evidence } from "./probe.js";

/** How each thing that was sent came out at last. */
export function settled(answers: readonly Answer[]): readonly Answer[] {
  return [...new Map(answers.map((answer) => [answer.sent, answer])).values()];
}

/** Whether two answers say the same but for ids, times and the like. */
export function saysTheSame(one: Answer, other: Answer): boolean {
  return one.status === other.status && words(one) === words(other);
}

function words({ body }: Answer): string {
  return body.replace(/[\w-]*\d[\w-]*/g, "#");
}

/** Whether the receiver answers what it has handled as it answered the duplicate, and that otherwise than news. */
export function isRecognized(answer: Answer, { answers }: Evidence): boolean | undefined {
  const first = answers.get("valid")?.find(({ kind }) => kind === "accepted");
  const [again, ...news] = settled(answers.get("duplicate") ?? []);
  if (first === undefined || again?.kind !== "accepted" || saysTheSame(first, again)) return undefined;
  // One that answers each event in other words tells nothing by them.
  return news.some((one) => saysTheSame(one, first)) ? saysTheSame(answer, again) : undefined;
}

/** Whether it is how the receiver refuses a signature: some do so with a 5xx. */
export function isRefusal({ kind }: Answer, { answers }: Evidence): boolean {
  return kind === "refused" || kind === settled(answers.get("wrong_secret") ?? [])[0]?.kind;
}
