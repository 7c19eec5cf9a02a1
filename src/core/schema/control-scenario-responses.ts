import * as z from "zod/mini";
import { pageShape, unboundedCountSchema, unboundedOrdinalSchema } from "./control-log-responses.js";
import { field, fieldsOf, recordShape } from "./descriptions.js";
import { type DeepReadonly, text, textList } from "./records/record-fields.js";
import { faultRuleSchema, scenarioSchema } from "./scenario-rules.js";

const appliedSchema = z.record(text, unboundedCountSchema);
const optionalText = z.optional(text);
const anything = z.optional(z.unknown());
const duration_ms = field(z.number().check(z.gte(0)), "Wall time.");

export const scenarioViewSchema = recordShape("Scenario", "A scenario.", {
  ...fieldsOf(scenarioSchema),
  active: field(z.boolean(), "Whether its rules apply to objects that name no scenario."),
  applied: field(
    appliedSchema,
    "How often each of its rules has been applied here since it was created or activated, or since a reset; with `of=server`, in all namespaces since the start. Not part of the state.",
    { examples: [{ "webhooks.0": 2, "faults.0": 0 }] },
  ),
});
export type ScenarioView = z.infer<typeof scenarioViewSchema>;
export const scenarioListSchema = pageShape(
  "ScenarioList",
  "Scenarios",
  scenarioViewSchema,
  "those active first, last activated first; then by name",
);

export const faultSchema = recordShape("Fault", "A fault of the API.", {
  fault_id: text,
  ...fieldsOf(faultRuleSchema),
  applied: field(unboundedCountSchema, "How often it has been applied."),
});
export const faultListSchema = pageShape("FaultList", "Faults", faultSchema);
export const faultsRemovedSchema = recordShape("FaultsRemoved", "How many were removed.", {
  removed: unboundedCountSchema,
});

export const differenceSchema = recordShape("Difference", "A field that is not as expected.", {
  path: field(text, "Where; empty for the whole value."),
  expected: field(z.unknown(), "The expected value, or a matcher such as `{ gte: 1 }`."),
  got: field(anything, "Absent if nothing was found."),
  why: field(optionalText, "Why the two cannot be compared at all."),
});
/** Expected and actual value of a field. */
export type Difference = DeepReadonly<z.infer<typeof differenceSchema>>;
export const nearMissSchema = recordShape("NearMiss", "A record that nearly matches.", {
  id: field(text, "Kind and id of the record."),
  difference: field(z.array(differenceSchema), "Its fields that differ from the expectation."),
});
/** A record that nearly matches. */
export type NearMiss = DeepReadonly<z.infer<typeof nearMissSchema>>;
export const failureSchema = recordShape("StepFailure", "Why a step did not pass.", {
  message: field(text, "The reason in one line."),
  expected: field(anything, "What the step expected."),
  got: field(anything, "What it got."),
  difference: field(z.optional(z.array(differenceSchema)), "The fields that differ from the expectation."),
  line: field(
    z.optional(unboundedOrdinalSchema),
    "The line of the expectation that failed; absent for the step as a whole.",
  ),
  note: field(optionalText, "Other records there are, and why they do not count."),
  made_by: field(z.optional(textList), "Responses made by a fault, and which fault."),
  nearest: field(z.optional(z.array(nearMissSchema)), "The records that match most closely."),
});
/** Why a step failed, for people and programs. */
export type Failure = DeepReadonly<z.infer<typeof failureSchema>>;
const stepReportSchema = recordShape("StepReport", "The result of a step.", {
  number: unboundedOrdinalSchema,
  title: field(text, "Its name, or a short description."),
  text: field(optionalText, "The title before its variables are filled in, if it has some."),
  kind: field(text, "The kind of step.", { examples: ["request", "expect_charge"] }),
  line: unboundedOrdinalSchema,
  outcome: field(
    z.enum(["passed", "failed", "error", "not_run"]),
    "`not_run` when an earlier step did not pass.",
  ),
  duration_ms,
  failure: z.optional(failureSchema),
  file: field(optionalText, "The file it is in, if that is not the file being run."),
  part: field(optionalText, "Which repetition or lane of the enclosing step this was."),
  steps: field(z.optional(z.array(z.record(text, z.unknown()))), "The steps inside it, in the same form."),
});
const rulePlace = recordShape("RulePlace", "Where a rule, or a step that adds a fault, is in the file.", {
  rule: text,
  line: unboundedOrdinalSchema,
  file: field(optionalText, "The file, if that is not the file being run."),
});
export const runReportSchema = recordShape("RunReport", "The result of a run.", {
  file: field(text, "The path as the caller gave it."),
  name: field(text, "The name of the scenario."),
  outcome: field(z.enum(["passed", "failed", "error"]), "`error` when it could not be run."),
  passed: field(z.boolean(), "Whether every step passed."),
  run_id: field(text, "The value of the variable `run.id`."),
  namespace: field(optionalText, "The temporary namespace, if another run had the one requested."),
  duration_ms,
  steps: field(z.array(stepReportSchema), "Its steps in order, with the nested ones."),
  applied: field(appliedSchema, "How often each of its rules and faults was applied."),
  never_happened: field(textList, "The rules and faults that never applied."),
  never_happened_at: field(z.array(rulePlace), "The lines of the rules and faults in `never_happened`."),
  blind_spots: field(textList, "Why the checks of a run that passed say little."),
  error: field(optionalText, "Why it could not be run, if that is not due to a step."),
  warnings: field(textList, "What could not be restored afterwards."),
});
