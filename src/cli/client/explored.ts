import type { ExploreReport } from "../../tools/explore/exploration.js";
import { printErrorLine } from "../terminal.js";
import type { Connection } from "./connection.js";

/**
 * Sends a report of `explore` to the dashboard. A failure is printed in one line; the report is on the terminal anyway.
 */
export async function putOnDashboard(
  { fetch, headers }: Pick<Connection, "fetch" | "headers">,
  namespace = "default",
  report: ExploreReport,
): Promise<void> {
  const form = new URLSearchParams({ do: "explored", report: JSON.stringify(report) });
  const fault = await fetch(`/_sandbox/dashboard/${encodeURIComponent(namespace)}`, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  }).then(
    ({ status }) => (status < 400 ? undefined : `HTTP ${status}`),
    (error: Error) => error.message,
  );
  if (fault !== undefined) printErrorLine(`the dashboard does not have this report (${fault})`);
}
