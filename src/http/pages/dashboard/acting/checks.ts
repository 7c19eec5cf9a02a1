import { parseBooks } from "../../../../domain/books/text.js";
import type { BookReport } from "../../../../schema/books.js";
import { jsonOrText } from "../../../../schema/depth.js";
import { invalid, isRefusal, type Refusal, refuse } from "../../../../schema/errors.js";
import { check } from "../../../../schema/issues.js";
import type { SentProbe } from "../../../../schema/receiver-report.js";
import { iso } from "../../../../schema/time.js";
import { UserError } from "../../../../schema/user-error.js";
import { many } from "../parts.js";
import { exploredSchema, isOver, type ReceiverChecked, reportsOf } from "../reports.js";
import { homeOf } from "../scene.js";
import type { Actions, Doing, Done } from "./action.js";
import { callControl } from "./calls.js";

/** So many requests of a probe are kept, and so much of each. */
const MOST_SENT = 6;
const MOST_CHARS = 4_096;

/** Sends a receiver the probes, as the check of the command line does; the page shows each as it comes out. */
async function checkReceiver({
  namespaces,
  namespace,
  words: [webhookId = ""],
}: Doing): Promise<Done | Refusal> {
  const endpoint = namespace.engine.state.get("endpoints", webhookId);
  if (endpoint === undefined) return refuse("NOT_FOUND", "That receiver has been deleted");
  const { url, secret, signature } = endpoint;
  if (url === null || !/^https?:/.test(url))
    return invalid({ url: "there is none to send to: events of this receiver stay in this process" });
  const reports = reportsOf(namespace);
  if (reports.receiver !== undefined && !isOver(reports.receiver))
    return refuse(
      "VALIDATION_ERROR",
      `${reports.receiver.url} is being checked. Try again when that is done.`,
    );
  const at = iso(namespace.nowMs());
  const checked: ReceiverChecked = { webhookId, url, at, rows: new Map(), sent: new Map() };
  reports.receiver = checked;
  const tell = () => namespace.tellReport("receiver");
  tell();
  try {
    checked.report = await namespaces.checkReceiver({
      url,
      secret,
      signature,
      onRow: (row) => {
        checked.rows.set(row.probe, row);
        tell();
      },
      onSent: (request) => keep(checked, request),
    });
    // What a probe shows may be told better once all have come out.
    for (const row of checked.report.probes) checked.rows.set(row.probe, row);
  } catch (error) {
    checked.error = error instanceof Error ? error.message : String(error);
  }
  tell();
  return { ...outcomeOf(checked), to: `${homeOf(namespace.name)}/checks#probes` };
}

function keep({ sent }: ReceiverChecked, request: SentProbe): void {
  const known = sent.get(request.probe) ?? [];
  if (known.length === MOST_SENT) return;
  const { body } = request;
  known.push({ ...request, body: body.length > MOST_CHARS ? `${body.slice(0, MOST_CHARS)}…` : body });
  sent.set(request.probe, known);
}

function outcomeOf({ url, report, error }: ReceiverChecked): Done {
  if (report === undefined) return { text: `The check could not be carried out: ${error}`, isBad: true };
  const { outcome, summary, findings } = report;
  if (outcome === "unreachable") return { text: `${url} cannot be reached: ${report.error}`, isBad: true };
  const text = `${summary.pass} passed, ${summary.fail} failed, ${summary.note} to review`;
  return findings.length === 0
    ? { text: `No fault was found: ${text}` }
    : { text: `${many(findings.length, "fault")} found: ${text}`, isBad: outcome === "failed" };
}

/** Holds the app's rows against the ledger, as the call does. */
async function compareBooks(doing: Doing): Promise<Done | Refusal> {
  const { namespace, form } = doing;
  const text = form.get("file") || form.get("rows") || "";
  let books: ReturnType<typeof parseBooks>;
  try {
    books = parseBooks(text, "your rows");
  } catch (error) {
    if (error instanceof UserError) return refuse("VALIDATION_ERROR", error.message);
    throw error;
  }
  const { rows, lines } = books;
  if (rows.length === 0) return invalid({ rows: "no rows: paste some, or choose a file" });
  const compared = await callControl<BookReport>(doing, "POST", "/reconcile", {
    rows,
    partial: form.has("partial"),
    mode: form.get("mode") ?? "test",
  });
  if (isRefusal(compared)) return refused(compared, lines);
  reportsOf(namespace).books = { at: iso(namespace.nowMs()), report: compared, lines };
  namespace.tellReport("books");
  const held = `${many(compared.rows, "row")} against ${many(compared.charges, "charge")}`;
  return {
    text: compared.passed ? `Nothing differs: ${held}` : `${many(compared.total, "difference")}: ${held}`,
    isBad: !compared.passed,
    to: `${homeOf(namespace.name)}/checks#books`,
  };
}

function refused({ message, details = {} }: Refusal, lines: readonly number[]): Refusal {
  const [fault] = Object.entries(details);
  const [, index, field] = /^rows\.(\d+)\.?(.*)$/.exec(fault?.[0] ?? "") ?? [];
  const where =
    index === undefined ? fault?.join(" ") : `line ${lines[Number(index)]}: ${field} ${fault![1]}`;
  return refuse("VALIDATION_ERROR", where === undefined ? message : `${message}: ${where}`);
}

/** Keeps a report of `explore`, as its `--json` prints it, to be shown. */
function readExplored({ namespace, form }: Doing): Done | Refusal {
  const text = (form.get("file") || form.get("report") || "").trim();
  const read = check(exploredSchema, jsonOrText(text.split("\n").at(-1)!));
  if (!read.ok)
    return invalid({ report: "must be what `payments-sandbox explore … --json` prints: one line of JSON" });
  reportsOf(namespace).explored = { at: iso(namespace.nowMs()), report: read.data };
  namespace.tellReport("explored");
  return {
    text: read.data.findings.length === 0 ? "It found nothing" : many(read.data.findings.length, "finding"),
    to: `${homeOf(namespace.name)}/checks#explored`,
  };
}

/** What the buttons of the checks do. */
export const CHECK_ACTIONS: Actions = { check: checkReceiver, books: compareBooks, explored: readExplored };
