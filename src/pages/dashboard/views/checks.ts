import { html, type Markup } from "../../html.js";
import { placeOf } from "../attention.js";
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
        sub: html`${one.why}. Last: <bdi>${withPlaces(scene, one.example)}</bdi>`,
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

/** Receivers by their URLs, as on every other page. */
function withPlaces({ namespace }: Scene, text: string): string {
  return text.replace(/we_[0-9a-f]+/g, (id) => placeOf(namespace.engine.state.get("endpoints", id)));
}
