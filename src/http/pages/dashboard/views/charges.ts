import type { Charge } from "../../../../domain/charge.js";
import { CHARGE_STATUSES } from "../../../../schema/common.js";
import { html, type Markup } from "../../html.js";
import { controlCurl } from "../curl.js";
import { button, choice, copy, filters, input, pager, part, rows } from "../parts.js";
import { isShown, offsetOf, PAGE_ROWS, type Scene } from "../scene.js";
import { chargeRow } from "./activity.js";
import { usualMoves } from "./moves.js";

export function chargesView(scene: Scene): Markup {
  const { state } = scene.namespace.engine;
  const { query } = scene;
  const q = query.get("q")?.trim() ?? "";
  const status = query.get("status") ?? "";
  const isMeant = (charge: Charge) => isShown(scene, charge) && (status === "" || charge.status === status);
  const offset = offsetOf(scene);
  const found = q === "" ? undefined : state.chargesWithWords(q.slice(0, 255)).filter(isMeant);
  const { total, items } =
    found === undefined
      ? state.found("charges", isMeant, offset, PAGE_ROWS)
      : { total: found.length, items: found.slice(offset, offset + PAGE_ROWS) };
  const asked = new URLSearchParams({
    ...(q === "" ? {} : { q }),
    ...(status === "" ? {} : { status }),
  }).toString();
  return html`<h1>Charges</h1>
${filters(
  scene,
  html`${input({ name: "q", label: "Search", value: q, hint: "id, e-mail, name, order", type: "search" })}
${choice("status", "Status", [["", "any"], ...CHARGE_STATUSES.map((one): [string, string] => [one, one])], status)}`,
)}
${part({
  id: "charges",
  title: `${total} ${q === "" && status === "" ? (total === 1 ? "charge" : "charges") : "found"}`,
  tools: copy(
    "Copy as curl",
    controlCurl(scene, `GET /_sandbox/charges${asked === "" ? "" : `?${asked}`}`),
    "c",
  ),
  body: html`${rows(
    "Charges",
    items.map((charge) => chargeRow(scene, charge, { at: charge.created_at, acts: usualMoves(charge) })),
    q === ""
      ? html`None yet. ${button({ does: "make", label: "Make one for me" })}`
      : `No charge has “${q}” in its id, e-mail, name, reference or metadata.`,
    ["Created", "Status", "Customer", "Charge", "Amount"],
  )}${pager(scene, total)}`,
})}`;
}
