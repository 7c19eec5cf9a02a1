import { isFailing } from "../../core/engine/failing.js";
import { attention } from "./attention.js";
import type { Tone } from "./parts.js";
import { isShown, type Scene, type ViewName } from "./scene.js";

interface Count {
  readonly many: number;
  readonly of: string;
  readonly tone: Tone;
}

/** What the menu says beside a view. */
export function countsOf(scene: Scene): { readonly [View in ViewName]?: Count } {
  const { state } = scene.namespace.engine;
  const failing = state.found("deliveries", (one) => isShown(scene, one) && isFailing(one), 0, 0).total;
  return {
    activity: { many: attention(scene).length, of: "that need attention", tone: "bad" },
    charges: {
      many: state.found("charges", (one) => isShown(scene, one), 0, 0).total,
      of: "charges",
      tone: "",
    },
    webhooks: { many: failing, of: "failing", tone: "bad" },
    faults: { many: state.tables.faults.size, of: "active", tone: "warn" },
    scenarios: {
      many: [...state.tables.scenarios.values()].filter(({ activated }) => activated > 0).length,
      of: "active",
      tone: "warn",
    },
    checks: { many: scene.namespace.advisor.log.items().length, of: "pieces of advice", tone: "warn" },
  };
}
