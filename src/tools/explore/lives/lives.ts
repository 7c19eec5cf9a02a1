import type { ExploreFinding, ExploreReport, LivesReport } from "../exploration.js";
import { seededRandom } from "../search.js";

import { storyOf } from "./acts.js";
import { type LivesOptions, lifeText } from "./chosen-lives.js";
import { type Draw, drawLives } from "./draw.js";
import type { LifeHost } from "./life.js";
import { learnReferences } from "./references.js";

export interface Lives {
  readonly findings: readonly ExploreFinding[];
  readonly report: LivesReport;
  readonly notes: readonly string[];
  readonly notCompared: ExploreReport["not_compared"];
}

/** Number of findings after which no further lives are drawn. */
const MAX_FINDINGS = 5;
const MAX_SEED = 0x7fffffff;

/**
 * Carries out lives of several customers, drawn from a seed, and judges their ends.
 *
 * @param name name of the flow, from which a seed is made if there is none
 */
export async function runLives(
  host: LifeHost,
  name: string,
  { lives, only, seed = Math.floor(seededRandom(name)() * MAX_SEED) }: LivesOptions,
  overReason: () => string | undefined,
): Promise<Lives> {
  const references = await learnReferences(host, name);
  const count = { lives: 0, acts: 0, longest: 0, orders: 0, paid: 0, refunded: 0 };
  const draw: Draw = {
    host,
    references,
    overReason,
    onLife: ({ acts, orders }) => {
      count.lives++;
      count.acts += acts.length;
      count.longest = Math.max(count.longest, acts.length);
      for (const { paid, refunded } of orders.values()) {
        count.orders++;
        count.paid += paid + refunded;
        count.refunded += refunded;
      }
    },
  };
  const findings: ExploreFinding[] = [];
  const known = new Set<string>();
  for (let left = only === undefined ? lives : 1; left > 0 && findings.length < MAX_FINDINGS; ) {
    const before = count.lives;
    const next = only ?? { seed: seed + findings.length };
    const failing = await drawLives(draw, next, left, known);
    left -= count.lives - before;
    if (failing === undefined) break;
    for (const key of failing.keys) known.add(key);
    const { fault, end, name, seen } = failing;
    findings.push({
      oracle: fault.oracle,
      message: fault.message,
      ...(fault.hint === undefined ? {} : { hint: fault.hint }),
      deviations: [],
      seen,
      only: lifeText(name),
      acts: storyOf(end.acts),
    });
  }
  const notes = [...references.shared].map(
    ([path, scope]) =>
      `shared: ${path}: changes with orders of ${scope === "same" ? "the same customer" : "any customer"}: compared with what orders in turn lead to`,
  );
  if (findings.length === MAX_FINDINGS)
    notes.push(`lives: no more are drawn after ${MAX_FINDINGS} findings, and others may hide behind these`);
  const notCompared = [...references.free].map(([field, reason]) => ({ field, reason }));
  return { findings, report: { seed, of: only === undefined ? lives : 1, ...count }, notes, notCompared };
}
