import { snapshotNameSchema } from "../../../../schema/control.js";
import { invalid, isRefusal, refuse } from "../../../../schema/errors.js";
import { check, issueDetails } from "../../../../schema/issues.js";
import { namespaceNameSchema } from "../../../../schema/namespace-name.js";
import { type Actions, say } from "./action.js";

/** The snapshot a reset takes first. */
const BEFORE_RESET = "before-reset";

/** What the buttons of snapshots, namespaces and the reset do. */
export const WORLD_ACTIONS: Actions = {
  save: async ({ namespace, form }) => {
    const name = check(snapshotNameSchema, form.get("name"));
    if (!name.ok) return invalid({ name: issueDetails(name.issues).body ?? "is not a valid snapshot name" });
    return say(await namespace.snapshots.save(name.data), () => `Snapshot ${name.data} saved`);
  },
  restore: async ({ namespace, words: [name = ""] }) =>
    (await namespace.snapshots.restore(name)) ?? { text: `Snapshot ${name} restored` },
  undo: async ({ namespace, words: [name = ""] }) =>
    (await namespace.snapshots.restore(name)) ?? { text: "Undone: all is as it was before the reset" },
  forget: ({ namespace, words: [name = ""] }) =>
    namespace.snapshots.delete(name)
      ? { text: `Snapshot ${name} deleted` }
      : refuse("NOT_FOUND", `There is no snapshot "${name}"`),
  namespace: ({ namespaces, form }) => {
    const name = check(namespaceNameSchema, form.get("name"));
    if (!name.ok) return invalid({ name: issueDetails(name.issues).body ?? "is not a valid namespace name" });
    return say(namespaces.create({ name: name.data }), () => `Namespace ${name.data} created`);
  },
  reset: async ({ namespace, words: [name] }) => {
    // The button that asks names what it resets: a press from a page of before, or of a script, does nothing.
    if (name !== namespace.name)
      return invalid({ value: `must be the namespace to reset, ${namespace.name}` });
    const saved = await namespace.snapshots.save(BEFORE_RESET);
    const refusal = namespace.reset({ keep: ["webhooks", "keys"], repeatIds: false });
    if (refusal !== undefined) return refusal;
    const text = `Namespace “${namespace.name}” reset (receivers and keys kept)`;
    return isRefusal(saved) ? { text } : { text, undo: BEFORE_RESET };
  },
};
