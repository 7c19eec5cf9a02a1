import * as z from "zod/mini";
import type { OperationCall } from "../../../core/client/control-client.js";
import { amountSchema, CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../../core/schema/common.js";
import { triggerRequestSchema } from "../../../core/schema/control-log-requests.js";
import { triggeredEventSchema } from "../../../core/schema/control-log-responses.js";
import { resetRequestSchema } from "../../../core/schema/engine-requests.js";
import { faultRuleSchema } from "../../../core/schema/scenario-rules.js";
import {
  durationErrorMessage,
  durationSchema,
  instantErrorMessage,
  parseAdvanceBody,
} from "../../../core/schema/time.js";
import type { Client } from "../running/client.js";
import { checkResponse } from "./check-response.js";
import {
  defineStep,
  responseSchema,
  type StepDefinition,
  saveSchema,
  stepSchema,
  textSchema,
} from "./step-definition.js";

/* Steps that are operations of the control API. A step's cleanup stands beside its call. */

const reason = z.optional(textSchema);
const companions = { expect: z.optional(responseSchema), save: saveSchema };

/** Defines a step whose action is the input of one operation; `expect` applies to the response. */
function defineOperationStep<Action extends z.ZodMiniType>(
  kind: string,
  description: string,
  action: Action,
  toCall: (input: z.infer<Action>) => OperationCall,
): StepDefinition {
  return defineStep(["checks", "ignores_start"], {
    description,
    schema: stepSchema({ [kind]: action, ...companions }),
    run: async (step, { client }) => {
      const { [kind]: input } = step as Readonly<Record<string, unknown>>;
      const answer = await client.control(...toCall(input as z.infer<Action>));
      checkResponse(step.expect, answer);
      return answer.body;
    },
  });
}

const transition = defineStep(["ignores_start"], {
  description: "Moves a charge or withdrawal to a status.",
  schema: stepSchema({
    transition: z
      .strictObject({
        charge_id: z.optional(textSchema),
        withdrawal_id: z.optional(textSchema),
        to: z.enum([...new Set([...CHARGE_STATUSES, ...WITHDRAWAL_STATUSES])]),
        reason,
        expect: z.optional(responseSchema),
      })
      .check(
        z.refine(
          ({ charge_id, withdrawal_id }) => (charge_id === undefined) !== (withdrawal_id === undefined),
          "needs either charge_id or withdrawal_id",
        ),
      ),
    ...companions,
  }),
  run: async ({ transition, ...step }, { client }) => {
    const { charge_id, withdrawal_id = "", expect, ...change } = transition;
    const answer =
      charge_id === undefined
        ? await client.control("transitionWithdrawal", { withdrawal_id, ...change })
        : await client.control("transitionCharge", { charge_id, ...change });
    checkResponse(step.expect ?? expect, answer, step.expect ? "expect" : "transition.expect");
    return answer.body;
  },
});

const trigger = defineStep(["ignores_start"], {
  description:
    "Emits an event that nothing has caused, about a charge or a sample of one, with `data` on top. `force: true` sends a type of your own.",
  schema: stepSchema({ trigger: triggerRequestSchema, save: saveSchema }),
  result: () => triggeredEventSchema,
  run: ({ trigger }, { client }) => client.callOrFail("createEvent", trigger),
});

const fault = defineStep(["ignores_start"], {
  description:
    "From here on this rule of `faults` applies; `clear` ends all that this run has set, the file's faults and webhook rules too.",
  schema: stepSchema({ fault: z.union([z.literal("clear"), faultRuleSchema]), save: saveSchema }),
  run: async ({ fault }, { client, cleanup, ruleCounts, location, text, removeMishaps }) => {
    if (fault === "clear") {
      await ruleCounts.readCounts();
      await cleanup.clear((what) => what.startsWith("fault "));
      await removeMishaps();
      return null;
    }
    const set = (await client.callOrFail("createFault", fault)) as { fault_id: string };
    const { fault_id } = set;
    ruleCounts.watchFault(fault_id, text, location);
    cleanup.add(`fault ${fault_id}`, () => client.undo("deleteFault", { fault_id }));
    return set;
  },
});

const scenario = defineStep(["ignores_start"], {
  description: "Turns a scenario the sandbox knows on, or off with { drop: NAME }, until the run is over.",
  schema: stepSchema({
    scenario: z.union([
      textSchema,
      z.strictObject({ use: textSchema }),
      z.strictObject({ drop: textSchema }),
    ]),
  }),
  run: async ({ scenario }, { client, cleanup }) => {
    const before = await activeScenarios(client);
    const changed =
      typeof scenario === "object" && "drop" in scenario
        ? await client.callOrFail("deactivateScenario", { name: scenario.drop })
        : await client.callOrFail("activateScenario", {
            name: typeof scenario === "string" ? scenario : scenario.use,
          });
    cleanup.add("the active scenarios", () => restoreScenarios(client, before));
    return changed;
  },
});

async function activeScenarios(client: Client): Promise<string[]> {
  const { items } = (await client.callOrFail("listScenarios", { limit: 100 })) as {
    items: { readonly name: string; readonly active: boolean }[];
  };
  return items.filter(({ active }) => active).map(({ name }) => name);
}

async function restoreScenarios(client: Client, before: readonly string[]): Promise<void> {
  for (const name of await activeScenarios(client))
    if (!before.includes(name)) await client.undo("deactivateScenario", { name });
  // Restores the original order of activation, because the last activated scenario applies first.
  for (const name of [...before].reverse()) await client.undo("activateScenario", { name });
}

/** Restores the run's own rules afterwards. */
export const reset = defineStep(["ignores_start"], {
  description: "Puts the namespace back to its initial state.",
  schema: stepSchema({ reset: z.union([z.literal(true), z.null(), resetRequestSchema]) }),
  run: async ({ reset }, { client, prepare, ruleCounts }) => {
    await ruleCounts.readCounts();
    const request = reset === true || reset === null ? {} : reset;
    const answer = await client.callOrFail("resetSandbox", { ...request, wait: "10s" });
    await prepare();
    return answer;
  },
});

export const OPERATION_STEPS = {
  transition,
  partial_refund: defineOperationStep(
    "partial_refund",
    "Refunds part of a completed charge.",
    z.strictObject({ charge_id: textSchema, amount: amountSchema, reason }),
    (input) => ["refundPart", input],
  ),
  chargeback: defineOperationStep(
    "chargeback",
    "The customer's bank takes a completed charge back.",
    z.strictObject({ charge_id: textSchema, reason }),
    (input) => ["chargeBack", input],
  ),
  bounce: defineOperationStep(
    "bounce",
    "Returns a completed withdrawal.",
    z.strictObject({ withdrawal_id: textSchema, reason }),
    (input) => ["bounceWithdrawal", input],
  ),
  trigger,
  fault,
  scenario,
} as const;

const TARGET = "must be a duration such as 10m, an ISO instant, next or idle";

/** The step ends when everything due on the way is done. */
export const advance = defineStep(["ignores_start", "own_customer"], {
  description: "Moves sandbox time: a duration, an ISO instant, next or idle.",
  schema: stepSchema({
    advance: z.string(TARGET).check(
      z.refine((text) => parseAdvanceBody(text) !== undefined, {
        error: ({ input }) => durationErrorMessage(input) ?? instantErrorMessage(input) ?? TARGET,
      }),
    ),
    quiet: z.optional(durationSchema),
    retry: z.optional(durationSchema),
    save: saveSchema,
  }),
  run: ({ advance, quiet, retry }, { client }) =>
    client.callOrFail("advanceClock", { ...parseAdvanceBody(advance), quiet, retry, wait: "10s" }),
});
