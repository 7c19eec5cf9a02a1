import * as z from "zod/mini";
import { pageOf } from "./control-log-responses.js";
import { faultRuleSchema, scenarioSchema } from "./scenario.js";
import { field, fieldsOf, shape } from "./words.js";

/** What the control API answers of scenarios and faults. */
const text = z.string();
const count = z.int().check(z.gte(0));

/** Rule → how often. */
const appliedSchema = z.record(text, count);

export const scenarioViewSchema = shape("Scenario", "A scenario the namespace knows.", {
  ...fieldsOf(scenarioSchema),
  active: field(z.boolean(), "Whether its rules apply to what names no scenario."),
  applied: field(appliedSchema, {
    says: "How often each of its rules has been applied here since it was put in place or turned on, or since a reset; asked for `of=server`, in all namespaces since the start. No part of the state.",
    examples: [{ "webhooks.0": 2, "faults.0": 0 }],
  }),
});
export type ScenarioView = z.infer<typeof scenarioViewSchema>;
export const scenarioListSchema = pageOf(
  "ScenarioList",
  "Scenarios",
  scenarioViewSchema,
  "those active first, last activated first; then by name",
);

export const faultSchema = shape("Fault", "Something that goes wrong at the API.", {
  fault_id: field(text, "What to take it away by."),
  ...fieldsOf(faultRuleSchema),
  applied: field(count, "How often it has been applied."),
});
export const faultListSchema = pageOf("FaultList", "Faults", faultSchema);
export const faultsRemovedSchema = shape("FaultsRemoved", "They are gone.", {
  removed: field(count, "How many there were."),
});

export const differenceSchema = shape("Difference", "A field that is not as expected.", {
  path: field(text, "Where; empty for the whole."),
  expected: field(z.unknown(), "What was expected."),
  got: field(z.optional(z.unknown()), "What there was; absent when nothing was."),
  why: field(z.optional(text), "Why the two cannot be held against each other at all."),
});
export const nearMissSchema = shape("NearMiss", "A record that is nearly what was looked for.", {
  id: field(text, "The record."),
  difference: field(z.array(differenceSchema), "What keeps it from matching."),
});
export const failureSchema = shape("StepFailure", "Why a step did not pass.", {
  message: field(text, "For people."),
  expected: field(z.optional(z.unknown()), "What was expected."),
  got: field(z.optional(z.unknown()), "What there was."),
  difference: field(z.optional(z.array(differenceSchema)), "Field by field."),
  line: field(
    z.optional(z.int().check(z.gte(1))),
    "Where in the file it says what is not so; absent where that is the step as a whole.",
  ),
  note: field(z.optional(text), "What there is besides, and why it does not count."),
  made_by: field(z.optional(z.array(text)), "Answers that a fault made, and which."),
  nearest: field(z.optional(z.array(nearMissSchema)), "Of the records there are, those that come nearest."),
});
const duration_ms = field(z.number().check(z.gte(0)), "Wall time it took.");
export const stepReportSchema = shape("StepReport", "How a step came out.", {
  number: field(z.int().check(z.gte(1)), "The first is 1."),
  title: field(text, "Its own name, or what it does in a few words."),
  kind: field(text, { says: "What it does.", examples: ["request", "expect_charge"] }),
  line: field(z.int().check(z.gte(1)), "Where it stands in the file."),
  outcome: field(
    z.enum(["passed", "failed", "error", "not_run"]),
    "`not_run` when an earlier one did not pass.",
  ),
  duration_ms,
  failure: field(z.optional(failureSchema), "Why it did not pass."),
  file: field(z.optional(text), "The file it stands in, where that is not the one that is run."),
  part: field(z.optional(text), "Which turn or lane of the step around it this was."),
  steps: field(
    z.optional(z.array(z.record(z.string(), z.unknown()))),
    "The steps within it, each told like this one; of one that is repeated only those of the turn that did not pass.",
  ),
});
export const runReportSchema = shape("RunReport", "How a run came out.", {
  file: field(text, "What was run."),
  name: field(text, "The scenario."),
  outcome: field(z.enum(["passed", "failed", "error"]), "`error` when it could not be carried out."),
  passed: field(z.boolean(), "Whether all of it came out as expected."),
  run_id: field(text, "What the variable `run.id` was."),
  namespace: field(z.optional(text), "The one it made for itself, where another run had the one meant."),
  duration_ms,
  steps: field(z.array(stepReportSchema), "How each step came out, in order."),
  applied: field(
    appliedSchema,
    "How often each rule of it, and each fault its steps have set, has been applied.",
  ),
  never_happened: field(z.array(text), "Those that never were: what they stand for has not been tested."),
  never_happened_at: field(
    z.array(
      shape("RulePlace", "Where a rule, or a step that set a fault, stands.", {
        rule: field(text, "Which."),
        line: field(z.int().check(z.gte(1)), "The line, from 1."),
        file: field(z.optional(text), "The file, where that is not the one that is run."),
      }),
    ),
    "Where those stand.",
  ),
  error: field(z.optional(text), "Why it could not be carried out, when that was not for a step."),
  warnings: field(z.array(text), "What could not be put back afterwards."),
});
