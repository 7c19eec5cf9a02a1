import * as z from "zod/mini";
import * as r from "../../../../schema/control-responses.js";
import * as s from "../../../../schema/scenario.js";
import { scenarioFileSchema } from "../../../../schema/scenario-file.js";
import { type Component, type NotesOf, named, object } from "../../component.js";
import type { Json } from "../../json.js";
import { pageOf } from "./world.js";

const rulesBodySchema = z.strictObject({
  ...s.scenarioSchema.shape,
  name: z.optional(s.scenarioSchema.shape.name),
});
/** Rules whose values may still be variables. */
const openRules = z.optional(z.array(z.record(z.string(), z.unknown())));
const { shape: file } = scenarioFileSchema;
const fileBodySchema = z.strictObject({
  ...file,
  name: z.optional(file.name),
  charges: openRules,
  withdrawals: openRules,
  webhooks: openRules,
  faults: openRules,
});
/** The body of a PUT: the path names the scenario. */
export const scenarioBodySchema = z.union([rulesBodySchema, fileBodySchema]);

const FILE_PARTS = {
  description: "For people.",
  charges: "How charges behave; the first rule that matches is taken.",
  withdrawals: "How withdrawals behave; the first rule that matches is taken.",
  webhooks: "What goes wrong with webhooks on the way out; the first rule that matches is taken.",
  faults: "What goes wrong at the API; the first rule that matches and is not used up is taken.",
};
const PARTS = { ...FILE_PARTS, source: "The whole as a person wrote it, when it has steps." };

/** Scenarios, their rules, faults, and the report of a run. */
export function scenarioComponents(): Component[] {
  const fault = {
    match:
      "Which calls; all without it. `operation`, `method` and `path` are globs, and so are fields of the body. An `operation` that fits no operation's id is refused.",
    respond: "Answered in place of the service's own answer.",
    delay: "Wall time the answer takes longer.",
    drop: "The connection is cut before the work is done, or after it.",
    times: "How many calls it meets before it is used up.",
    skip: "How many calls it lets pass first.",
    probability: "How likely it is each time, by the seed.",
  };
  return [
    named("ScenarioRequest", scenarioBodySchema, {
      says: "A scenario: rules, or what a file has.",
    }),
    object("ScenarioRules", rulesBodySchema, "Rules without variables.", {
      name: "The name in the path, if it is there.",
      ...PARTS,
    }),
    object(
      "ScenarioFile",
      fileBodySchema,
      {
        says:
          "With `vars` or `steps` it is read as a file is, and its variables are filled in; scenarios/schema.json in " +
          "the package has rules and steps in full.",
        adds: atLeastOneOf("vars", "steps"),
      },
      {
        $schema: "For editors; ignored.",
        name: "The name in the path, if it is there.",
        ...FILE_PARTS,
        vars: "Variables, named in braces after a dollar sign.",
        steps: "What is done and expected, in order.",
      },
    ),
    object("Scenario", r.scenarioViewSchema, "A scenario the namespace knows.", {
      name: "What it is asked for by.",
      ...PARTS,
      active: "Whether its rules apply to what names no scenario.",
    }),
    object("ScenarioList", r.scenarioListSchema, "A page of scenarios.", {
      ...pageOf("Scenarios", "those active first, last activated first; then by name"),
    }),
    object("ChargeRule", s.chargeRuleSchema, "How some charges behave.", {
      match: "Which; all without it.",
      timeline: "What happens to them.",
    }),
    object("WithdrawalRule", s.withdrawalRuleSchema, "How some withdrawals behave.", {
      match: "Which; all without it.",
      timeline: "What happens to them.",
    }),
    object("ChargeMatch", s.chargeMatchSchema, "All of these must fit; texts are globs.", CHARGE_MATCH),
    object("WithdrawalMatch", s.withdrawalMatchSchema, "All of these must fit; texts are globs.", {
      ...COMMON_MATCH,
      withdrawal_id: "The withdrawal.",
      destination_id: "Where it goes.",
      reference: "The shop's own name for it.",
      type: "The type of its destination.",
      account_number: "The destination's account.",
      phone_number: "The destination's phone.",
      wallet_address: "The destination's wallet.",
    }),
    named("ChargeEntry", s.chargeEntrySchema, {
      says: "A status a charge will take. `after` counts from the entry before, `after_expiry` from the moment it expired.",
    }),
    object("WithdrawalEntry", s.withdrawalEntrySchema, "A status a withdrawal will take.", {
      after: "Counted from the entry before.",
      to: "The status.",
      reason: "Why.",
    }),
    object(
      "WebhookRule",
      s.webhookRuleSchema,
      "What goes wrong with some webhooks; times are sandbox time.",
      {
        match: "Which; all without it. Texts are globs.",
        copies: "How often each is sent in all.",
        delay: "How much later it is sent.",
        drop: "It is not sent.",
        swap: "It is sent after the object's next event.",
        bad_signature: "It is signed with a wrong secret.",
        stale: "The signature's timestamp is so old.",
        fail_first: "So many attempts fail before one is made.",
      },
    ),
    object(
      "FaultRule",
      s.faultRuleSchema,
      {
        says: "Something to go wrong at the API; at least one of respond, delay and drop.",
        adds: atLeastOneOf("respond", "delay", "drop"),
      },
      fault,
    ),
    object("Fault", r.faultSchema, "Something that goes wrong at the API.", {
      fault_id: "What to take it away by.",
      ...fault,
      applied: "How often it has been applied.",
    }),
    object("FaultList", r.faultListSchema, "A page of faults.", pageOf("Faults")),
    object("FaultsRemoved", r.faultsRemovedSchema, "They are gone.", { removed: "How many there were." }),
    object("RunReport", r.runReportSchema, "How a run came out.", {
      file: "What was run.",
      name: "The scenario.",
      outcome: "`error` when it could not be carried out.",
      passed: "Whether all of it came out as expected.",
      run_id: "What the variable `run.id` was.",
      duration_ms: "Wall time it took.",
      steps: "How each step came out, in order.",
      error: "Why it could not be carried out, when that was not for a step.",
      warnings: "What could not be put back afterwards.",
    }),
    object("StepReport", r.stepReportSchema, "How a step came out.", {
      number: "The first is 1.",
      title: "Its own name, or what it does in a few words.",
      kind: { says: "What it does.", examples: ["request", "expect_charge"] },
      line: "Where it stands in the file.",
      outcome: "`not_run` when an earlier one did not pass.",
      duration_ms: "Wall time it took.",
      failure: "Why it did not pass.",
    }),
    object("StepFailure", r.failureSchema, "Why a step did not pass.", {
      message: "For people.",
      expected: "What was expected.",
      got: "What there was.",
      difference: "Field by field.",
      nearest: "Of the records there are, those that come nearest.",
    }),
    object("Difference", r.differenceSchema, "A field that is not as expected.", {
      path: "Where; empty for the whole.",
      expected: "What was expected.",
      got: "What there was; absent when nothing was.",
    }),
    object("NearMiss", r.nearMissSchema, "A record that is nearly what was looked for.", {
      id: "The record.",
      difference: "What keeps it from matching.",
    }),
  ];
}

/** Generators of types take an `anyOf` beside the fields for a choice between them and something else. */
function atLeastOneOf(...names: readonly string[]): Json {
  return { allOf: [{ anyOf: names.map((name) => ({ required: [name] })) }] };
}

const COMMON_MATCH = {
  mode: "Test or live.",
  organization_id: "Whose it is.",
  currency: "Currency paid in.",
  amount: "The amount, or bounds for it.",
  metadata: "Keys and what they must be.",
};

const CHARGE_MATCH: NotesOf<typeof s.chargeMatchSchema> = {
  ...COMMON_MATCH,
  charge_id: "The charge.",
  customer_email: "Who pays.",
  customer_name: "The customer's name.",
  payment_method: "The method.",
  payment_rail: "The rail.",
  phone_number: "The customer's phone.",
  bank_account_number: "The customer's bank account.",
  base_currency: "The currency of the price.",
  base_amount: "The price, or bounds for it.",
};
