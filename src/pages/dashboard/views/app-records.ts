import type { BookFinding, FindingKind } from "../../../core/schema/reconciliation.js";
import { html, type Markup } from "../../html.js";
import {
  badge,
  button,
  copyButton,
  form,
  plural,
  row,
  rowList,
  section,
  select,
  shortId,
  timeTag,
} from "../components.js";
import { type PageContext, viewUrl } from "../page-context.js";
import { reportsOf } from "../reports.js";
import { cliCommand } from "../shell-commands.js";

const MAX_ROWS = 50;

/** Advice for each kind of finding. */
const ADVICE: Readonly<Record<FindingKind, string>> = {
  paid_not_marked: "Redeliver its webhook, and see what your receiver does with it.",
  marked_not_paid: "Mark an order paid when charge.completed says so, or a read of the charge.",
  amount_differs: "Compare with the charge's own amount, fees included, as decimals and never as floats.",
  paid_twice: "Look for the order's open charge before creating another; refund one of these.",
  delivered_twice: "Remember each event's id, and hand out an order once.",
  refunded_and_delivered: "Stop the delivery when charge.refunded arrives.",
  unknown_charge: "See that the id is of this namespace and mode, and was there after the last reset.",
};

const PLACEHOLDER = `charge_id,status,amount,currency
ch_…,paid,512.50,KES`;

/** Comparison of the app's records with the ledger. */
export function recordsSection(context: PageContext): Markup {
  const { books } = reportsOf(context.namespace);
  return section({
    id: "books",
    title: "Your app's records",
    tools: copyButton("Copy command", cliCommand(context, "reconcile --file orders.csv")),
    body: html`${
      books === undefined
        ? html`<p>Paste what your app believes: CSV with a header, or JSON lines, an order a row, with <code>charge_id</code> or <code>metadata.KEY</code>, and <code>status</code>, <code>amount</code>, <code>currency</code>, <code>delivered</code>. It is compared with the ledger.</p>`
        : html`<p>${books.report.passed ? badge("nothing differs", "good") : badge(plural(books.report.total, "difference"), "bad")} ${plural(books.report.rows, "row")} against ${plural(books.report.charges, "charge")}, ${timeTag(context, books.at)}; compared: ${books.report.compared.join(", ")}</p>
${rowList(
  "What differs",
  books.report.findings.slice(0, MAX_ROWS).map((item) => findingRow(context, item, books.lines)),
  "Nothing: your app's records and the ledger agree.",
)}${books.report.total > MAX_ROWS && html`<p class="soft">and ${books.report.total - MAX_ROWS} more: the command lists all</p>`}`
    }
${form(
  context,
  html`<label class="field whole"><span>Rows</span><textarea name="rows" rows="4" spellcheck="false" placeholder="${PLACEHOLDER}"></textarea></label>
<label class="field"><span>or a file</span><input type="file" name="file" accept=".csv,.json,.jsonl,.ndjson,text/plain"></label>
${select(
  "mode",
  "Mode",
  [
    ["test", "test"],
    ["live", "live"],
  ],
  context.mode ?? "test",
)}
<label class="field"><span>Some of the orders only</span><input type="checkbox" name="partial"></label>
<button name="do" value="books" class="main">Compare</button>`,
  "Compare your app's books",
  "multipart/form-data",
)}`,
  });
}

function findingRow(context: PageContext, finding: BookFinding, lines: readonly number[]): Markup {
  const { kind, charge_id, message, order } = finding;
  const charge = charge_id === null ? undefined : context.namespace.engine.state.get("charges", charge_id);
  const deliveryId =
    charge && kind === "paid_not_marked" ? completedDelivery(context, charge.charge_id) : undefined;
  const fields = Object.entries(order ?? {}).map(([name, value]) => `${name} ${value}`);
  return row(context, {
    key: `${kind}-${finding.row}-${charge_id}`,
    status: badge(kind.replaceAll("_", " "), "bad"),
    title: charge_id === null ? message : html`${shortId(charge_id)} ${message}`,
    to: charge === undefined ? undefined : viewUrl(context, "charges", charge.charge_id),
    sub: html`${fields.length > 0 && html`<bdi>${fields.join(", ")}</bdi> · `}${ADVICE[kind]}`,
    side: finding.row === null ? "not in your records" : `line ${lines[finding.row - 1]}`,
    acts:
      deliveryId !== undefined &&
      button({ does: `redeliver ${deliveryId}`, label: "Redeliver", to: message }),
    tone: "bad",
  });
}

/** The newest `charge.completed` delivery of a charge. */
function completedDelivery({ namespace }: PageContext, chargeId: string): string | undefined {
  const { state } = namespace.engine;
  return state
    .eventsOf(chargeId)
    .filter(({ type }) => type === "charge.completed")
    .flatMap(({ event_id }) => state.deliveriesOf(event_id))
    .at(-1)?.delivery_id;
}
