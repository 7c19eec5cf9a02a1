import type { ControlDoc } from "../doc.js";
import { INSIGHT_DOCS } from "./insight.js";
import { OBJECT_DOCS } from "./objects.js";
import { SCENARIO_DOCS } from "./scenarios.js";
import { WEBHOOK_DOCS } from "./webhooks.js";
import { WORLD_DOCS } from "./world.js";

/** Every control call's words, by its id. */
export const CONTROL_DOCS: Readonly<Record<string, ControlDoc>> = {
  ...WORLD_DOCS,
  ...OBJECT_DOCS,
  ...SCENARIO_DOCS,
  ...WEBHOOK_DOCS,
  ...INSIGHT_DOCS,
};
