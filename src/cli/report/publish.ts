import { UserError } from "../../core/schema/user-error.js";
import { printErrorMessage } from "../errors.js";
import { writeOutputFile } from "../output-files.js";
import { writeReportsToGitHub } from "./github.js";
import { junitXml } from "./junit.js";
import type { Report } from "./report.js";

/**
 * Writes reports for programs: as JUnit XML if `--junit FILE` is given, and in a job of GitHub. Call it after the report
 * is printed, so that a disk that is full by then loses nothing. Returns the exit code: `code`, or 2 instead of 0 if the
 * file cannot be written.
 */
export function publishReports(junit: string | undefined, reports: readonly Report[], code: number): number {
  writeReportsToGitHub(reports);
  try {
    if (junit !== undefined) writeOutputFile("--junit", junit, junitXml(reports));
    return code;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    printErrorMessage(error);
    return code || 2;
  }
}
