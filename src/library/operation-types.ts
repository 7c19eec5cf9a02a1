import type { PathField } from "../core/client/control-client.js";
import type { CONTROL_CALLS } from "../core/client/operations.js";
import type { OperationId } from "../core/schema/operation-ids.js";
import type { ControlTypes } from "../server/control/operations.js";

type Calls = typeof CONTROL_CALLS;

/** A row without a schema of its input takes any object. */
type OwnInput<Input> = string extends keyof Input ? object : Input;
type PathInput<Call extends string> = { [Name in PathField<Call>]: string | number };
type WaitInput<Call extends string> = Call extends `${string}{?wait}` ? { wait?: string } : unknown;
/** Values of a query are written as text. */
type QueryInput<Call extends string, Input> = Call extends `${"GET" | "DELETE"} ${string}`
  ? { [Name in keyof Input]: string extends Input[Name] ? Input[Name] | number : Input[Name] }
  : Input;

/** Operations of the service alone: `getCharge` is one of the control API too. */
type ServiceOperations = {
  // biome-ignore lint/suspicious/noExplicitAny: the app's own client has the types of the service
  [Id in Exclude<OperationId, keyof Calls>]: { input: object; output: any };
};

/** Input and output of each operation. The input has the fields of path, query and body together. */
export type ControlOperations = ServiceOperations & {
  [Id in keyof ControlTypes & keyof Calls]: {
    input: PathInput<Calls[Id]> &
      WaitInput<Calls[Id]> &
      QueryInput<Calls[Id], OwnInput<ControlTypes[Id]["input"]>>;
    output: ControlTypes[Id]["output"];
  };
};
