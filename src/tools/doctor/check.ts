import type { ProbeRow, WebhookReport } from "../../core/schema/receiver-report.js";
import { iso } from "../../core/schema/time.js";
import { AppObserver } from "./app-observer.js";
import { judgeProbes } from "./judge-probes.js";
import type { ProbeEvidence } from "./probe.js";
import { ProbeSession, type ResolvedCheckOptions } from "./probe-session.js";
import { sendProbes } from "./probes.js";

/**
 * The doctor: sends probes to a webhook receiver and reports its faults; called by the command and the library.
 *
 *   probes.ts ── ProbeSession ──> Evidence ── judge-probes.ts ──> WebhookReport
 *
 * With --observe, app-observer.ts also compares the app's own view of real charges. The receiver's code is never read.
 *
 * @param onRow called after each probe; the final report may name a more specific fault
 */
export async function checkWebhook(
  options: ResolvedCheckOptions,
  onRow: (row: ProbeRow) => void = () => {},
): Promise<WebhookReport> {
  const { url, signature, timeoutMs, wall } = options;
  const startMs = wall.nowMs();
  const session = new ProbeSession(options);
  const observer = options.observation && (await AppObserver.open(session, options.observation));
  let evidence: ProbeEvidence;
  try {
    evidence = await sendProbes(session, observer, (probe, soFar) => {
      const row = judgeProbes(soFar, session.scheme).rows.find((candidate) => candidate.probe === probe)!;
      const isUnreachable = probe === "valid" && row.answers[0]!.kind === "unreachable";
      if (!isUnreachable) onRow(row);
    });
  } finally {
    await observer?.close();
  }
  await observer?.throwIfLimited();
  const { rows, findings } = judgeProbes(evidence, session.scheme);
  const first = evidence.answers.get("valid")![0]!;
  const isUnreachable = first.kind === "unreachable";
  const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  return {
    url,
    signature,
    timeout_ms: timeoutMs,
    started_at: iso(startMs),
    duration_ms: wall.nowMs() - startMs,
    outcome: isUnreachable
      ? "unreachable"
      : rows.some((row) => row.verdict === "fail" && row.severity === "must")
        ? "failed"
        : "passed",
    error: isUnreachable ? first.error : null,
    summary: { pass: count("pass"), fail: count("fail"), note: count("note") },
    findings,
    probes: rows,
  };
}
