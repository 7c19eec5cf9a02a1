import { expect, it } from "vitest";
import { Emitter } from "../../src/core/engine/emitter.js";

it("calls all listeners even when one throws", () => {
  const errors: unknown[] = [];
  const heard: string[] = [];
  const events = new Emitter<{ answered: string }>((error) => errors.push(error));
  for (const name of ["a", "b"])
    events.on("answered", () => {
      throw new Error(name);
    });
  const stop = events.on("answered", (request) => heard.push(request));
  for (const request of ["1", "2"]) events.emit("answered", request);
  stop();
  events.emit("answered", "3");
  expect(heard).toEqual(["1", "2"]);
  expect(errors.map((error) => (error as Error).message)).toEqual(["a", "b"]);
});
