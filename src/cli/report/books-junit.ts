import { type BookReport, FINDING_KINDS, FINDINGS } from "../../schema/books.js";
import { block, element, junitFile, xmlText } from "../../schema/xml.js";
import { orderText } from "./books-text.js";

/** The report as JUnit XML: a case each kind of finding there is. */
export function booksJunit(report: BookReport): string {
  const cases = FINDING_KINDS.map((kind) => {
    const found = report.findings.filter((finding) => finding.kind === kind);
    const lines = found.map(
      ({ row, charge_id, order, message }) =>
        `row ${row ?? "-"}, ${charge_id ?? "-"}: ${orderText(order)}${message}`,
    );
    const attributes = { classname: "reconcile", name: kind };
    return found.length === 0
      ? element("testcase", attributes)
      : element(
          "testcase",
          attributes,
          element(
            "failure",
            { type: kind, message: `${found.length} × ${FINDINGS[kind]}` },
            xmlText(lines.join("\n")),
          ),
        );
  });
  const failures = cases.filter((one) => one.includes("<failure")).length;
  return junitFile({}, block("testsuite", { name: "reconcile", tests: cases.length, failures }, cases));
}
