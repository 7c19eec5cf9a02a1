import type { Charge } from "../../../../domain/charge.js";
import { type Mismatch, mismatches } from "../../../../domain/scenario.js";
import { scenariosFor } from "../../../../engine/scenarios.js";
import { chargeSubject } from "../../../../engine/subjects.js";
import type { JournalEntry } from "../../../../namespace/served-request.js";
import { nearest } from "../../../../schema/nearest.js";
import type { FaultRule } from "../../../../schema/scenario.js";
import { subjectOfEntry } from "../../../service/fault-subject.js";
import { wanted } from "../parts.js";
import type { Scene } from "../scene.js";

/** A rule that is in force and was not applied. */
export interface Missed {
  readonly key: string;
  /** Where it stands: a scenario and its rule, or a fault. */
  readonly of: string;
  readonly scenario: string | undefined;
  /** Why not. */
  readonly why: string;
}

const MOST = 5;

/** Faults that are in force now and had no part in the call, the nearest first. */
export function missedFaults({ namespace }: Scene, entry: JournalEntry): Missed[] {
  const { state } = namespace.engine;
  const subject = subjectOfEntry(namespace, entry);
  const set = [...state.tables.faults.values()].map(({ fault_id, rule }) => ({
    key: fault_id,
    of: `fault ${fault_id}`,
    scenario: undefined,
    rule,
    applied: namespace.faults.applied(fault_id),
  }));
  const ofScenarios = [...scenariosFor(state, entry.scenario)].flatMap(({ name, faults = [] }) =>
    faults.map((rule, index) => ({
      key: `${name}-${index}`,
      of: `${name}, faults.${index}`,
      scenario: name,
      rule,
      applied: 0,
    })),
  );
  return [...set, ...ofScenarios]
    .filter(
      ({ key, scenario }) => entry.fault !== key && (scenario === undefined || entry.fault !== scenario),
    )
    .map((one) => {
      const differs = mismatches(one.rule.match, subject);
      return { ...one, many: differs.length, why: differs.length > 0 ? saying(differs) : notNow(one) };
    })
    .sort((a, b) => a.many - b.many)
    .slice(0, MOST);
}

/** Why a fault that matches was not met. */
function notNow({ rule, applied }: { readonly rule: FaultRule; readonly applied: number }): string {
  const { times, skip = 0, probability } = rule;
  if (times !== undefined && applied >= times) return `it matches, and is used up: ${applied} of ${times}`;
  if (skip > 0) return `it matches, and lets ${skip} pass first`;
  if (probability !== undefined) return `it matches, and applies by chance (${probability})`;
  return "it matches: it was not there yet, or another came first";
}

/** Rules for charges that would have decided, were one field otherwise. */
export function missedRules({ namespace }: Scene, charge: Charge): Missed[] {
  const subject = chargeSubject(charge);
  return [...scenariosFor(namespace.engine.state, charge.scenario_asked)]
    .flatMap(({ name, charges = [] }) =>
      charges.flatMap(({ match }, index): Missed[] => {
        const differs = mismatches(match, subject);
        const [only] = differs;
        if (differs.length !== 1 || !(Object.keys(match ?? {}).length > 1 || isSlip(only!))) return [];
        return [
          { key: `${name}-${index}`, of: `${name}, charges.${index}`, scenario: name, why: saying(differs) },
        ];
      }),
    )
    .slice(0, MOST);
}

/** Whether somebody probably meant it to match. */
function isSlip({ wanted: pattern, actual }: Mismatch): boolean {
  if (typeof pattern !== "string" || typeof actual !== "string") return false;
  const [start = ""] = pattern.split("*");
  if (start.length < 4) return false;
  const near = [start.length - 1, start.length, start.length + 1].map((length) => actual.slice(0, length));
  return nearest(start, near) !== undefined;
}

function saying(differs: readonly Mismatch[]): string {
  return differs
    .map(({ field, wanted: asked, actual }) =>
      actual === undefined || actual === null
        ? `asks for ${field} ${wanted(asked)}, and the call has none`
        : `asks for ${field} ${wanted(asked)}, not ${actual}`,
    )
    .join("; ");
}
