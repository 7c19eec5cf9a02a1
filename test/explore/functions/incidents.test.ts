import { beforeAll, expect, it } from "vitest";
import { exploreIncident, INCIDENT_FLOWS } from "./incident-flows.js";

// Modules that are loaded on first use make a run wait for files, and it is then repeated.
beforeAll(() => exploreIncident("webhook-before-the-row", "app.mjs"));

it.each(Object.keys(INCIDENT_FLOWS))(
  "finds the bug of %s as a function, the same in two explorations, and is silent on its fix",
  async (incident) => {
    const broken = await exploreIncident(incident, "app.mjs");
    expect(broken.findings, broken.sentence).not.toEqual([]);
    const again = await exploreIncident(incident, "app.mjs");
    expect(JSON.stringify({ ...again, ms: broken.ms })).toBe(JSON.stringify(broken));
    const fixed = await exploreIncident(incident, "fixed.mjs");
    expect(fixed.findings.map(({ message, deviations }) => [message, deviations])).toEqual([]);
    expect(fixed).toMatchObject({ passed: true, complete_depth: 1 });
  },
);
