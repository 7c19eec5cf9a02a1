import { expect, it } from "vitest";
import type { Engine } from "../../src/core/engine/engine.js";
import { memoizeByState } from "../../src/server/service/charges.js";

/** A fake engine, and a reader that counts how often it computes. */
function engineAt(seq: number) {
  const engine = { state: { seq } };
  let made = 0;
  const read = (which = "a") =>
    memoizeByState(engine as unknown as Engine, which, () => `${which} ${++made} at ${engine.state.seq}`);
  return { engine, read };
}

it("recomputes a memoized text when the state changes", () => {
  const { engine, read } = engineAt(7);
  expect([read(), read()]).toEqual(["a 1 at 7", "a 1 at 7"]);
  expect([read("b"), read()]).toEqual(["b 2 at 7", "a 3 at 7"]);
  engine.state.seq++;
  expect([read(), read()]).toEqual(["a 4 at 8", "a 4 at 8"]);
  engine.state = { seq: 8 };
  expect(read()).toBe("a 5 at 8");
});
