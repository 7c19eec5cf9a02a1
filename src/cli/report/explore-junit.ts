import type { ExploreReport } from "../../explore/report.js";
import { scheduleText } from "../../explore/schedule.js";
import { block, element, junitFile, xmlText } from "../../schema/xml.js";

/** The report as JUnit XML: a case that passes where nothing was found (skipped, where too little was tried), else one a finding that fails. */
export function exploreJunit(flow: string, { passed, findings, sentence }: ExploreReport): string {
  const failed = findings.map(({ oracle, message, deviations, file }) =>
    element(
      "testcase",
      { classname: "explore", name: scheduleText(deviations) || oracle },
      element("failure", { type: oracle, message }, xmlText([message, file ?? ""].join("\n").trimEnd())),
    ),
  );
  const whole = { classname: "explore", name: sentence };
  const cases =
    failed.length > 0
      ? failed
      : [passed ? element("testcase", whole) : element("testcase", whole, element("skipped", {}))];
  const suite = { name: `explore ${flow}`, tests: cases.length, failures: failed.length };
  return junitFile({}, block("testsuite", suite, cases));
}
