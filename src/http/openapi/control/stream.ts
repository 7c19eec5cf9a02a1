import type { STREAM_SCHEMAS } from "../../../schema/control-responses.js";
import { namedExamples } from "../document.js";
import type { Json } from "../json.js";
import type { Examples } from "../played.js";
import { ref } from "../schemas.js";

export const STREAM = { id: "followStream", path: "/_sandbox/stream" } as const;

/** The component that each message of the stream carries, by the name of its server-sent event. */
export const STREAM_COMPONENTS: Readonly<Record<keyof typeof STREAM_SCHEMAS, string>> = {
  hello: "StreamHello",
  request: "RequestEntry",
  charge: "StreamCharge",
  event: "Event",
  delivery: "Delivery",
  clock: "Clock",
  missed: "StreamMissed",
};

/** Text, one message after the other; what a message is once it is read stands in `contentSchema`. */
export function streamContent(examples: Examples): Json {
  return {
    "text/event-stream": {
      schema: {
        type: "string",
        contentMediaType: "text/event-stream",
        contentSchema: {
          oneOf: Object.entries(STREAM_COMPONENTS).map(([event, component]) => ({
            type: "object",
            required: ["event", "data"],
            properties: { event: { const: event }, data: ref(component) },
          })),
        },
      },
      examples: namedExamples(examples),
    },
  };
}
