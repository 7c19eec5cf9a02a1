import { expectTypeOf, it } from "vitest";
import type { OptionName, StartOptions } from "../../src/core/schema/option-table.js";
import type { SandboxOptions } from "../../src/library/index.js";

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type LibraryName<Name extends OptionName> = Name extends "allowed_host" ? "allowedHosts" : Camel<Name>;

/** Settings of a process, and those that `webhooks` covers: no options of the library. */
type CommandOnly = "json" | "quiet" | "webhook_url";
type Taken = { [Name in Exclude<OptionName, CommandOnly> as LibraryName<Name>]?: StartOptions[Name] };

it("the library declares every option of the table by name, with accepted values", () => {
  expectTypeOf<keyof SandboxOptions>().toEqualTypeOf<keyof Taken>();
  // One alone may stand in the place of a list of these, and what a file would hold in the place of the file.
  type Wider = "scenario" | "webhooks" | "fixtures";
  expectTypeOf<Omit<SandboxOptions, Wider>>().toExtend<Omit<Taken, Wider>>();
});
