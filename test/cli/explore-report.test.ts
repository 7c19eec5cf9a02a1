import { afterEach, describe, expect, it, vi } from "vitest";
import { sendReportToDashboard } from "../../src/cli/explore.js";
import type { ExploreReport } from "../../src/tools/explore/exploration.js";

const REPORT = { name: "pay", findings: [] } as unknown as ExploreReport;

/** Sends a report to a dashboard that responds like this. Returns what was printed and sent. */
async function sendReport(answer: () => Promise<Response>) {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const sent: [string, RequestInit | undefined][] = [];
  const fetch = (path: string, init?: RequestInit) => {
    sent.push([path, init]);
    return answer();
  };
  await sendReportToDashboard({ fetch, headers: {} }, "shop", REPORT);
  return { written: written.join(""), sent };
}

describe("a report of explore for the dashboard", () => {
  afterEach(() => vi.restoreAllMocks());

  it("is sent to its namespace silently", async () => {
    const { written, sent } = await sendReport(async () => new Response(null, { status: 303 }));
    expect(written).toBe("");
    expect(sent[0]?.[0]).toBe("/_sandbox/dashboard/shop");
    expect(new URLSearchParams(String(sent[0]?.[1]?.body)).get("report")).toBe(JSON.stringify(REPORT));
  });

  it.each([
    ["a dashboard that refuses it", async () => new Response(null, { status: 500 }), "HTTP 500"],
    ["a sandbox that is gone", () => Promise.reject(new TypeError("fetch failed")), "fetch failed"],
  ])("that could not be sent is reported in a line: %s", async (_what, answer, why) => {
    const { written } = await sendReport(answer);
    expect(written).toBe(`payments-sandbox: the dashboard does not have this report (${why})\n`);
  });
});
