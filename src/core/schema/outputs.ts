import type * as z from "zod/mini";
import * as checkout from "./control-checkout-responses.js";
import * as insight from "./control-insight-responses.js";
import * as log from "./control-log-responses.js";
import { stateDumpSchema } from "./control-requests.js";
import * as control from "./control-responses.js";
import * as sandbox from "./control-sandbox-responses.js";
import * as scenario from "./control-scenario-responses.js";
import { reversalSchema } from "./engine-requests.js";
import * as service from "./service-responses.js";

const SCHEMAS = {
  ...checkout,
  ...insight,
  ...log,
  ...control,
  ...sandbox,
  ...scenario,
  ...service,
  chargeSchema: service.chargeDetailSchema,
  reversalSchema,
  scenarioSchema: scenario.scenarioViewSchema,
  stateDumpSchema,
  streamHelloSchema: control.STREAM_SCHEMAS.hello,
};
type Schemas = typeof SCHEMAS;

type Outputs = {
  readonly [Name in keyof Schemas as Schemas[Name] extends z.core.$ZodType<object>
    ? Name extends `${infer Output}Schema`
      ? Capitalize<Output>
      : never
    : never]: Schemas[Name];
};
export type OutputName = keyof Outputs;

/**
 * Bodies of successful responses of both APIs, by the names of their schemas: `Quote` of `quoteSchema`. Operations import
 * only the type of this table, so that a start loads no response schema.
 */
export const OUTPUTS = Object.fromEntries(
  Object.entries(SCHEMAS).flatMap(([name, schema]) => {
    const output = name.replace(/Schema$/, "");
    return output === name ? [] : [[output.charAt(0).toUpperCase() + output.slice(1), schema]];
  }),
) as unknown as Outputs;
