import { html, type Markup } from "../../html.js";
import { badge, part, row, rows } from "../parts.js";
import type { Scene } from "../scene.js";
import { booksPart } from "./books.js";
import { coverageParts } from "./coverage.js";
import { exploredPart } from "./explored.js";
import { doctorPart, probesPart } from "./receiver-check.js";

/** What the app does against the service's advice, its receiver, its books, and what it has met. */
export function checksView(scene: Scene): Markup {
  const advice = scene.namespace.advisor.log.items();
  return html`<h1>Checks</h1>
${part({
  id: "advice",
  title: `Advice: ${advice.length}`,
  body: rows(
    "Advice",
    advice.map((one) =>
      row(scene, {
        key: one.id,
        status: badge(`${one.times}×`, "warn"),
        title: one.advice,
        sub: html`${one.why}. Last: <bdi>${one.example}</bdi>`,
        side: html`<code>${one.docs}</code>`,
      }),
    ),
    "None: your app does nothing that the service advises against.",
  ),
})}
${doctorPart(scene)}
${probesPart(scene)}
${booksPart(scene)}
${exploredPart(scene)}
${coverageParts(scene)}`;
}
