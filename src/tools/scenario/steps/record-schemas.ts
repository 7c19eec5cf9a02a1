import * as z from "zod/mini";
import { globMatches } from "../../../core/domain/glob.js";
import { eventPayloadSchema } from "../../../core/schema/control-log-responses.js";
import { reversalSchema } from "../../../core/schema/engine-requests.js";
import { ALL_EVENT_TYPES, parseEventType, TEST_EVENT_TYPE } from "../../../core/schema/event-types.js";
import { isOperationId } from "../../../core/schema/operation-ids.js";
import { responseSchemaOf } from "../../../core/schema/responses/by-operation.js";
import { chargeDetailSchema, withdrawalSchema } from "../../../core/schema/service-responses.js";

const sandbox_extension = reversalSchema;
/** Schema of an event's data, by the object of the event. */
const DATA = {
  charge: z.extend(chargeDetailSchema, { sandbox_extension }),
  withdrawal: z.extend(withdrawalSchema, { sandbox_extension }),
} as const;

/** Fields whose schema depends on other expected fields. */
const DEPENDENT: Readonly<Record<string, (described: Readonly<Record<string, unknown>>) => z.core.$ZodType>> =
  {
    data: ({ type }) => dataOf(type),
    payload: ({ type }) => z.extend(eventPayloadSchema, { data: dataOf(type) }),
    response_body: ({ operation }) =>
      typeof operation === "string" && isOperationId(operation)
        ? responseSchemaOf([operation], undefined)
        : z.unknown(),
  };

/** Narrows the schema of a record by the expected fields, such as `type`. */
export function narrowRecordSchema(record: z.ZodMiniObject, described: unknown): z.ZodMiniObject {
  const dependent = Object.entries(DEPENDENT).filter(([field]) => Object.hasOwn(record.shape, field));
  const fields = (described ?? {}) as Readonly<Record<string, unknown>>;
  return z.extend(
    record,
    Object.fromEntries(dependent.map(([field, schemaBy]) => [field, schemaBy(fields)])),
  );
}

/** Returns the schema of the event data, for all event types that `type` may match. */
function dataOf(type: unknown): z.core.$ZodType {
  const isText = typeof type === "string" && !type.includes("${");
  const types = ALL_EVENT_TYPES.filter((known) => !isText || globMatches(type, known));
  const objects = new Set(types.flatMap((known) => parseEventType(known)?.object ?? []));
  // Custom types have any data.
  if (objects.size === 0 || type === TEST_EVENT_TYPE) return z.unknown();
  const [first, ...others] = [...objects].map((object) => DATA[object]);
  return z.union([first!, ...others]);
}
