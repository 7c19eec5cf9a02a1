import * as z from "zod/mini";
import { pageOf } from "./control-log-responses.js";
import { faultRuleSchema, scenarioSchema } from "./scenario.js";
import { field, fieldsOf, shape } from "./words.js";

/** What the control API answers of scenarios and faults. */
const text = z.string();
const count = z.int().check(z.gte(0));

/** Rule → how often. */
const appliedSchema = z.record(text, count);

export const scenarioViewSchema = shape("Scenario", "A scenario.", {
  ...fieldsOf(scenarioSchema),
  active: field(z.boolean(), "Whether its rules apply to objects that name no scenario."),
  applied: field(appliedSchema, {
    says: "How often each of its rules has been applied here since it was created or activated, or since a reset; with `of=server`, in all namespaces since the start. Not part of the state.",
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

export const faultSchema = shape("Fault", "A fault of the API.", {
  fault_id: field(text, "The ID to remove it by."),
  ...fieldsOf(faultRuleSchema),
  applied: field(count, "How often it has been applied."),
});
export const faultListSchema = pageOf("FaultList", "Faults", faultSchema);
export const faultsRemovedSchema = shape("FaultsRemoved", "They are gone.", {
  removed: field(count, "How many there were."),
});

export const differenceSchema = shape("Difference", "A field that is not as expected.", {
  path: field(text, "Where; empty for the whole value."),
  expected: field(z.unknown(), "What was expected."),
  got: field(z.optional(z.unknown()), "What was found; absent if nothing was."),
  why: field(z.optional(text), "Why the two cannot be compared at all."),
});
export const nearMissSchema = shape("NearMiss", "A record that nearly matches.", {
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
    "The line of the expectation that failed; absent if it is the step as a whole.",
  ),
  note: field(z.optional(text), "What else there is, and why it does not count."),
  made_by: field(z.optional(z.array(text)), "Responses made by a fault, and which fault."),
  nearest: field(z.optional(z.array(nearMissSchema)), "The records that match most closely."),
});
const duration_ms = field(z.number().check(z.gte(0)), "Wall time it took.");
export const stepReportSchema = shape("StepReport", "How a step came out.", {
  number: field(z.int().check(z.gte(1)), "The first is 1."),
  title: field(text, "Its name, or a short description."),
  kind: field(text, { says: "What it does.", examples: ["request", "expect_charge"] }),
  line: field(z.int().check(z.gte(1)), "Its line in the file."),
  outcome: field(
    z.enum(["passed", "failed", "error", "not_run"]),
    "`not_run` when an earlier step did not pass.",
  ),
  duration_ms,
  failure: field(z.optional(failureSchema), "Why it did not pass."),
  file: field(z.optional(text), "The file it is in, if that is not the file being run."),
  part: field(z.optional(text), "Which repetition or lane of the enclosing step this was."),
  steps: field(
    z.optional(z.array(z.record(z.string(), z.unknown()))),
    "The steps inside it, in the same form; of a repeated step only those of the repetition that did not pass.",
  ),
});
export const runReportSchema = shape("RunReport", "How a run came out.", {
  file: field(text, "What was run."),
  name: field(text, "The scenario."),
  outcome: field(z.enum(["passed", "failed", "error"]), "`error` when it could not be run."),
  passed: field(z.boolean(), "Whether everything was as expected."),
  run_id: field(text, "The value of the variable `run.id`."),
  namespace: field(
    z.optional(text),
    "The namespace it created for itself because another run had the one requested.",
  ),
  duration_ms,
  steps: field(z.array(stepReportSchema), "The result of each step, in order."),
  applied: field(appliedSchema, "How often each of its rules, and each fault its steps added, was applied."),
  never_happened: field(
    z.array(text),
    "The rules and faults that never applied: what they stand for has not been tested.",
  ),
  never_happened_at: field(
    z.array(
      shape("RulePlace", "Where a rule, or a step that adds a fault, is in the file.", {
        rule: field(text, "Which."),
        line: field(z.int().check(z.gte(1)), "The line, from 1."),
        file: field(z.optional(text), "The file, if that is not the file being run."),
      }),
    ),
    "Where those stand.",
  ),
  error: field(z.optional(text), "Why it could not be run, if that is not due to a step."),
  warnings: field(z.array(text), "What could not be restored afterwards."),
});
