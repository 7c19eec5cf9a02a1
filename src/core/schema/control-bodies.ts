import * as z from "zod/mini";
import { ratesByCurrencySchema } from "./control-requests.js";
import { atLeastOneOf, closedShape, field, fieldsOf, namedSchema } from "./descriptions.js";
import { scenarioFileSchema } from "./scenario-file.js";
import { scenarioSchema } from "./scenario-rules.js";

/* Schemas for the OpenAPI documents only; handlers check these bodies part by part. */

const { name: scenarioName, ...parts } = fieldsOf(scenarioSchema);
const { source: _source, description, ...ruleKinds } = parts;
const nameInPath = field(z.optional(scenarioName.schema), "The name in the path, if given.");
const force = field(
  z.optional(z.boolean()),
  "Accept unknown names: event types, operations, currencies and so on.",
);
/** Rules whose variables are not filled in yet; any value can be a variable. */
const openRules = z.optional(z.array(z.record(z.string(), z.unknown())));
const file = scenarioFileSchema.shape;

/** The body of a PUT: the path names the scenario. */
export const scenarioBodySchema = namedSchema(
  "ScenarioRequest",
  "A scenario: rules, or what a file has.",
  z.union([
    closedShape("ScenarioRules", "Rules without variables.", { ...parts, name: nameInPath, force }),
    closedShape(
      "ScenarioFile",
      {
        description:
          "With `vars` or `steps` it is read like a file and its variables are filled in; scenarios/schema.json in " +
          "the package has rules and steps in full.",
        jsonSchema: atLeastOneOf("vars", "steps"),
      },
      {
        $schema: field(file.$schema, "For editors; ignored."),
        name: nameInPath,
        force,
        description,
        charges: field(openRules, ruleKinds.charges.note),
        withdrawals: field(openRules, ruleKinds.withdrawals.note),
        webhooks: field(openRules, ruleKinds.webhooks.note),
        faults: field(openRules, ruleKinds.faults.note),
        vars: field(file.vars, "Variables, named in braces after a dollar sign."),
        steps: field(file.steps, "What to do and to expect, in order."),
      },
    ),
  ]),
);

export const nestedRatesSchema = z.strictObject({ rates: ratesByCurrencySchema });

/** Body of a request that sets rates. As in the response, the rates can be under `rates`. */
export const ratesBodySchema = namedSchema(
  "RatesRequest",
  {
    description:
      "Units of a currency per US dollar, by code; under `rates` or at the top level. Other rates keep their values.",
    examples: [{ NGN: "1600" }],
  },
  z.union([nestedRatesSchema, ratesByCurrencySchema]),
);
