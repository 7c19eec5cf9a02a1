import { describe, expect, it } from "vitest";
import { ObserverList } from "../../src/core/namespace/observers.js";

describe("an observer that fails", () => {
  it("is reported once, and keeps nobody else from hearing", () => {
    const errors: unknown[] = [];
    const heard: string[] = [];
    const observers = new ObserverList<string>((error) => errors.push(error));
    const broken = (name: string) => ({
      onRequest: () => {
        throw new Error(name);
      },
    });
    observers.add(broken("a"));
    observers.add(broken("b"));
    const stop = observers.add({ onRequest: (request) => heard.push(request) });
    observers.notifyRequest("1");
    observers.notifyRequest("2");
    stop();
    observers.notifyRequest("3");
    expect(heard).toEqual(["1", "2"]);
    expect(errors.map((error) => (error as Error).message)).toEqual(["a", "b"]);
  });
});
