import * as z from "zod/mini";
import { globMatches } from "../../../core/domain/glob.js";
import { eventPayloadSchema } from "../../../core/schema/control-log-responses.js";
import { ALL_EVENT_TYPES, TEST_EVENT_TYPE, toldBy } from "../../../core/schema/event-types.js";
import { isOperationId } from "../../../core/schema/operation-ids.js";
import { answerOf } from "../../../core/schema/responses/answers.js";
import { chargeDetailSchema, withdrawalSchema } from "../../../core/schema/responses.js";
import { reversalSchema } from "../../../core/schema/reversals.js";

const sandbox_extension = reversalSchema;
/** What an event has as its data, by the object it tells of. */
const DATA = {
  charge: z.extend(chargeDetailSchema, { sandbox_extension }),
  withdrawal: z.extend(withdrawalSchema, { sandbox_extension }),
} as const;

/** What hangs on something else that is said of the record: the field's schema, by that. */
const HANGING: Readonly<Record<string, (described: Readonly<Record<string, unknown>>) => z.core.$ZodType>> = {
  data: ({ type }) => dataOf(type),
  payload: ({ type }) => z.extend(eventPayloadSchema, { data: dataOf(type) }),
  response_body: ({ operation }) =>
    typeof operation === "string" && isOperationId(operation)
      ? answerOf([operation], undefined)
      : z.unknown(),
};

/** A record as it is where it is described so. */
export function describedRecord(record: z.ZodMiniObject, described: unknown): z.ZodMiniObject {
  const hanging = Object.entries(HANGING).filter(([field]) => Object.hasOwn(record.shape, field));
  const said = (described ?? {}) as Readonly<Record<string, unknown>>;
  return z.extend(record, Object.fromEntries(hanging.map(([field, schemaBy]) => [field, schemaBy(said)])));
}

/** The data of events of a type; of several types, of any of them that is about an object. */
function dataOf(type: unknown): z.core.$ZodType {
  const isText = typeof type === "string" && !type.includes("${");
  const meant = ALL_EVENT_TYPES.filter((one) => !isText || globMatches(type, one));
  const objects = new Set(meant.flatMap((one) => toldBy(one)?.object ?? []));
  // Types of a user's own may have any.
  if (objects.size === 0 || type === TEST_EVENT_TYPE) return z.unknown();
  const [first, ...others] = [...objects].map((object) => DATA[object]);
  return z.union([first!, ...others]);
}
