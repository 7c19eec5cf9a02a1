import type { PathField } from "../core/client/control-client.js";
import type { CONTROL_CALLS } from "../core/client/operations.js";
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

/** Input and output of each operation of the control API. The input has the fields of path, query and body together. */
export type ControlOperations = {
  [Id in keyof ControlTypes & keyof Calls]: {
    input: PathInput<Calls[Id]> &
      WaitInput<Calls[Id]> &
      QueryInput<Calls[Id], OwnInput<ControlTypes[Id]["input"]>>;
    output: ControlTypes[Id]["output"];
  };
};
