import type { SignatureScheme } from "../schema/webhooks.js";
import { describe } from "./describe.js";
import { FAULTS, type FaultName } from "./faults.js";
import { judgeForgeries } from "./forgeries.js";
import { accepting, because, fault, type Mark, NOT_NOW, PASS, unseen } from "./marks.js";
import { type Evidence, IN_ORDER, OTHER_SPELLING, REVERSED, UNICODE } from "./probes.js";
import { type Answer, type AnswerKind, type Finding, PROBES, type Probe, type ProbeRow } from "./report.js";
import { outOfScope } from "./scope.js";
import { TEXTS } from "./texts.js";

/** What the answers say of the receiver. A pure function: the same answers, the same verdicts. */
export function judge(
  evidence: Evidence,
  scheme: SignatureScheme,
): { rows: ProbeRow[]; findings: Finding[] } {
  const marks = judgeForgeries(evidence.answers);
  for (const probe of PROBES) if (!marks.has(probe)) marks.set(probe, mark(probe, evidence, marks, scheme));
  const rows = PROBES.map((probe) => row(probe, marks.get(probe)!, evidence, scheme));
  return { rows, findings: findingsOf(rows) };
}

function mark(
  probe: Probe,
  evidence: Evidence,
  marks: ReadonlyMap<Probe, Mark>,
  scheme: SignatureScheme,
): Mark {
  const sent = evidence.answers.get(probe);
  if (sent === undefined)
    return evidence.stoppedAt === null || outOfScope(probe, scheme) !== undefined
      ? unseen("Not to be had with this signature scheme.")
      : because(origin(evidence.stoppedAt, marks));
  const reached = sent.filter((answer) => answer.kind !== "unreachable");
  if (reached.length === 0)
    return probe === "valid" ? unseen("Nothing can be said of it.") : vanished(probe, evidence, marks);
  // What a broken connection leaves unanswered says nothing more; in a burst, a refused connection does.
  return JUDGES[probe](probe === "burst" ? sent : reached, { evidence, marks });
}

interface Context {
  readonly evidence: Evidence;
  readonly marks: ReadonlyMap<Probe, Mark>;
}
type Judge = (answers: readonly Answer[], context: Context) => Mark;

const VALID: Readonly<Record<Exclude<AnswerKind, "accepted" | "refused" | "unreachable">, FaultName>> = {
  crashed: "crashes_on_valid_events",
  timeout: "too_slow",
  redirected: "redirects",
  broken: "breaks_connection",
  busy: "busy",
};

/** The forgeries have a judge of their own. */
const JUDGES: Readonly<Record<Probe, Judge>> = {
  valid([first, second]) {
    const { kind } = first!;
    if (kind === "accepted" || kind === "unreachable") return accepting([first!], "crashes_on_valid_events");
    if (kind === "refused")
      return fault(
        second !== undefined && second.status !== first!.status ? "refuses_content" : "refuses_valid_events",
      );
    return fault(kind === "crashed" && second?.kind === "accepted" ? "first_request_fails" : VALID[kind]);
  },

  duplicate(answers) {
    const found = accepting(answers, "duplicates");
    return found === PASS && !saysItKnows(answers[0]!) ? unseen(DUPLICATES_UNSEEN) : found;
  },

  tampered: () => PASS,
  wrong_secret: () => PASS,
  unsigned: () => PASS,
  stale: () => PASS,

  unknown_type: (answers) => accepting(answers, "unknown_type"),

  reordered(answers) {
    const reversed = accepting(
      answers.filter((answer) => answer.sent.startsWith(REVERSED)),
      "reordered",
    );
    if (reversed === PASS) return unseen(ORDER_UNSEEN);
    if (reversed.fault !== "reordered") return reversed;
    const inOrder = answers.filter((answer) => answer.sent.startsWith(IN_ORDER));
    return inOrder.length > 0 && accepting(inOrder, "lifecycle").fault === "lifecycle"
      ? fault("lifecycle")
      : reversed;
  },

  rotated_secret(answers, { evidence, marks }) {
    if (evidence.answers.get("wrong_secret")?.[0]?.kind === "accepted")
      return because(origin("wrong_secret", marks));
    if (answers.some((answer) => answer.kind === "busy")) return NOT_NOW;
    const [fitsSecond, fitsFirst] = answers;
    if (fitsSecond!.kind === "accepted") return accepting(answers, "last_signature_only");
    return fault(fitsFirst?.kind === "accepted" ? "first_signature_only" : "one_signature_only");
  },

  retry([answer], { evidence: { retried }, marks }) {
    if (answer!.kind === "accepted") {
      if (retried === null) return unseen(RETRY_UNSEEN);
      return saysItKnows(answer!) ? fault("retry") : accepting([answer!], "retry");
    }
    if (answer!.kind === "busy") return NOT_NOW;
    // Never having seen a 5xx, this is one more duplicate; having seen one, the same event may fail the same way.
    const source = retried ?? "duplicate";
    const isSame = retried === null || answer!.kind !== "refused";
    return isSame && marks.get(source)?.verdict === "fail" ? because(source) : fault("retry");
  },

  unicode(answers) {
    const not = (sent: string) => answers.some((one) => one.sent === sent && !isFine(one));
    if (not(OTHER_SPELLING)) return accepting(answers, "reserialized_body");
    return accepting(answers, not(UNICODE) ? "unicode" : "unknown_fields");
  },

  burst: (answers) => accepting(answers, "burst"),
};

function isFine({ kind }: Answer): boolean {
  return kind === "accepted" || kind === "busy";
}

/** Whether an answer says that the event is no news: the only way to see from outside that it was recognized. */
function saysItKnows({ status, body }: Answer): boolean {
  return status === 208 || /duplicate|already|processed before|seen before/i.test(body);
}

/** Nobody listens any more: the probe that broke the connection did it, or something nobody saw. */
function vanished(probe: Probe, { answers }: Evidence, marks: ReadonlyMap<Probe, Mark>): Mark {
  const breaking = PROBES.slice(0, PROBES.indexOf(probe)).findLast((earlier) =>
    answers.get(earlier)?.some((answer) => answer.kind === "broken"),
  );
  return breaking === undefined ? fault("gone") : because(origin(breaking, marks));
}

/** A probe may itself only show what an earlier one did. */
function origin(probe: Probe, marks: ReadonlyMap<Probe, Mark>): Probe {
  return marks.get(probe)?.because ?? probe;
}

const DUPLICATES_UNSEEN =
  "Whether it did the work twice cannot be seen from here: keep the ids of the events you have handled, and look there first.";
const ORDER_UNSEEN =
  "Whether it kept the later status cannot be seen from here: the charge must still be completed in your data.";
const RETRY_UNSEEN =
  "It never answered 5xx, so this could not be exercised; an event it had accepted was sent again instead.";

function row(probe: Probe, found: Mark, evidence: Evidence, scheme: SignatureScheme): ProbeRow {
  const answers = evidence.answers.get(probe) ?? [];
  const reason = outOfScope(probe, scheme);
  return {
    probe,
    ...TEXTS[probe],
    came_back: reason === undefined ? describe(answers) : `not sent: ${reason}`,
    verdict: found.verdict,
    severity: found.severity,
    fault: found.fault ?? null,
    because: found.because ?? null,
    advice:
      found.fault !== undefined
        ? FAULTS[found.fault].advice
        : reason === undefined
          ? (found.advice ?? null)
          : null,
    answers,
  };
}

/** Each fault once, with every probe it shows in. */
function findingsOf(rows: readonly ProbeRow[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { probe, fault: name } of rows) {
    if (name === null) continue;
    const probes = [
      probe,
      ...rows.filter((one) => one.because === probe && one.answers.length > 0).map((one) => one.probe),
    ];
    const known = findings.get(name);
    const { severity, title, advice } = FAULTS[name as FaultName];
    findings.set(name, {
      fault: name,
      severity,
      title,
      advice,
      probes: [...(known?.probes ?? []), ...probes],
    });
  }
  return [...findings.values()];
}
