import { type Charge, needsPrice } from "../../../domain/charge.js";
import type { Namespace } from "../../../namespace/namespace.js";
import { STATUSES } from "../../../schema/statuses.js";
import { iso } from "../../../schema/time.js";
import { sentence } from "../format.js";
import { type Content, html, type Markup } from "../html.js";
import { Shell } from "../shell.js";
import { SCRIPT } from "./script.js";
import { STYLES } from "./styles.js";

const ROWS = 20;
const SHELL = new Shell({ styles: STYLES, script: SCRIPT, connects: true, referrer: "same-origin" });
/** How a list shows the status of a charge, or of a delivery. */
const TONES: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.entries(STATUSES).map(([status, { tone }]) => [status, tone])),
  delivered: "good",
  failed: "bad",
  dropped: "bad",
};

/** What goes on in a namespace, and what to do about it: time, charges, webhooks, requests. */
export function dashboardPage(
  namespace: Namespace,
  names: readonly string[],
  notice: string | null,
  status: number,
): Response {
  const page = {
    title: "payments-sandbox",
    bodyAttributes: html` data-namespace="${namespace.name}"`,
    body: bodyOf(namespace, names, notice),
  };
  return SHELL.answer(page, { status, nowMs: namespace.nowMs(), forms: "'self'" });
}

function bodyOf(namespace: Namespace, names: readonly string[], notice: string | null): Markup {
  const { apiKey, webhookSecret, seed } = namespace.info;
  const clock = namespace.clock.view();
  // The answer to a press is this namespace's page at this namespace's address, a refusal too.
  const address = `/_sandbox/dashboard?namespace=${encodeURIComponent(namespace.name)}`;
  const button = (action: string, value: string, label: string): Markup =>
    html`<form method="post" action="${address}"><input type="hidden" name="namespace" value="${namespace.name}"><input type="hidden" name="action" value="${action}"><button name="value" value="${value}">${label}</button></form>`;
  return html`<main>
<header><h1>payments-sandbox</h1><p class="soft">Namespace ${namespace.name}${
    names.length > 1 &&
    html` · also ${names
      .filter((name) => name !== namespace.name)
      .slice(0, ROWS)
      .map((name) => html` <a href="/_sandbox/dashboard?namespace=${encodeURIComponent(name)}">${name}</a>`)}`
  } · <a href="/docs">API reference</a></p>
${notice !== null && html`<p class="notice" role="alert">${notice}</p>`}</header>
<section aria-labelledby="clock-title"><h2 id="clock-title">Clock</h2>
<div id="clock" data-live><dl class="facts"><div><dt>Sandbox time</dt><dd>${clock.now}</dd></div><div><dt>Goes</dt><dd>${clock.mode}</dd></div><div><dt>Next due</dt><dd>${clock.next_due ?? "nothing"}</dd></div></dl></div>
<div class="tools">${button("advance", "10s", "+10 s")}${button("advance", "5m", "+5 min")}${button("advance", "1h", "+1 h")}${button("until", "next", "To the next thing due")}${clock.mode === "manual" ? button("clock", "real", "Let it run") : button("clock", "manual", "Stop it")}</div></section>
<section aria-labelledby="charges-title">${liveTitle("charges", "Charges")}<div id="charges" data-live class="scroll" tabindex="0" role="region" aria-labelledby="charges-title">${chargesTable(namespace, button)}</div></section>
<section aria-labelledby="deliveries-title">${liveTitle("deliveries", "Webhooks sent")}<div id="deliveries" data-live class="scroll" tabindex="0" role="region" aria-labelledby="deliveries-title">${deliveriesTable(namespace, button)}</div></section>
<section aria-labelledby="requests-title">${liveTitle("requests", "Requests")}<div id="requests" data-live class="scroll" tabindex="0" role="region" aria-labelledby="requests-title">${requestsTable(namespace)}</div></section>
<section aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><dl class="facts"><div><dt>API key</dt><dd><code>${apiKey}</code></dd></div><div><dt>Webhook secret</dt><dd><code>${webhookSecret}</code></dd></div><div><dt>Seed</dt><dd><code>${seed}</code></dd></div></dl></section>
<section aria-labelledby="reset-title"><h2 id="reset-title">Reset</h2><details><summary>Reset everything…</summary>
<p>This removes every charge, withdrawal, event and balance of the namespace ${namespace.name}. Webhook endpoints, keys and snapshots stay.</p>
<div class="tools">${button("reset", namespace.name, `Reset ${namespace.name}`)}</div></details></section>
</main>`;
}

/** A title, and beside it what says that the list below has more to show. */
function liveTitle(id: string, title: string): Markup {
  return html`<div class="title"><h2 id="${id}-title">${title}</h2><button type="button" data-more hidden>Show what is new</button></div>`;
}

type Button = (action: string, value: string, label: string) => Markup;

function table(columns: readonly string[], rows: readonly (readonly Content[])[], none: string): Markup {
  if (rows.length === 0) return html`<p class="soft">${none}</p>`;
  return html`<table><thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table>`;
}

function status(text: string): Markup {
  return html`<span class="${TONES[text] ?? ""}">${text}</span>`;
}

function chargesTable(namespace: Namespace, button: Button): Markup {
  const charges = namespace.engine.state.page("charges", "charges", 0, ROWS);
  const moves = (charge: Charge): Markup[] =>
    STATUSES[charge.status].next.flatMap((to) => {
      const { verb } = STATUSES[to];
      if (verb === undefined || needsPrice(charge, to)) return [];
      return [button("charge", `${charge.charge_id} ${to}`, sentence(verb))];
    });
  return table(
    ["Made", "Charge", "Customer", "Amount", "Status", "Scenario", "Move it"],
    charges.map((charge) => [
      charge.created_at.slice(11, 19),
      html`<code>${charge.charge_id}</code>`,
      html`<bdi>${charge.customer_email ?? "–"}</bdi>`,
      `${charge.amount} ${charge.currency}`,
      status(charge.status),
      charge.scenario ?? "–",
      moves(charge),
    ]),
    "None yet. Make a quote and a checkout with the API key below.",
  );
}

function deliveriesTable(namespace: Namespace, button: Button): Markup {
  const { state } = namespace.engine;
  return table(
    ["Made", "Event", "To", "Status", "Attempts", "Last answer", ""],
    state.page("deliveries", "deliveries", 0, ROWS).map((delivery) => {
      const last = delivery.attempts.at(-1);
      const endpoint = state.get("endpoints", delivery.webhook_id);
      return [
        delivery.created_at.slice(11, 19),
        delivery.event_type,
        endpoint?.url ?? (endpoint === undefined ? "gone" : `mailbox ${endpoint.mailbox}`),
        status(delivery.status),
        delivery.attempts.length,
        last === undefined ? "–" : (last.status ?? last.error),
        button("redeliver", delivery.delivery_id, "Send again"),
      ];
    }),
    "None yet. Register a receiver with --webhook-url.",
  );
}

function requestsTable(namespace: Namespace): Markup {
  return table(
    ["At", "Request", "Operation", "Answer", "Fault"],
    namespace.journal
      .entries()
      .slice(0, ROWS)
      .map((entry) => [
        iso(entry.atMs).slice(11, 19),
        html`<code>${entry.method} ${entry.path}</code>${(entry.tolerated ?? []).map((note) => html`<br><span class="bad">Passed over: ${note}</span>`)}`,
        entry.operation ?? "–",
        entry.status ?? (entry.inFlight ? "in flight" : "cut off"),
        entry.fault ?? "–",
      ]),
    "None yet.",
  );
}
