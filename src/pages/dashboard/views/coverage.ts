import type { MishapKind } from "../../../core/namespace/mishaps.js";
import { ERROR_STATUS, type ErrorCode } from "../../../core/schema/refusals.js";
import { STATUSES } from "../../../core/schema/statuses.js";
import { coverageOf } from "../../../server/control/insight.js";
import { html, type Markup } from "../../html.js";
import { section, shellQuote, snippet } from "../components.js";
import type { PageContext } from "../page-context.js";
import { cliCommand } from "../shell-commands.js";

type Kind = keyof ReturnType<typeof coverageOf>;

/** Built-in scenario that causes each mishap. */
const SCENARIOS: Readonly<Record<MishapKind, string>> = {
  duplicate: "webhook_twice_at_once",
  lost_answer: "lost_response",
  retry: "webhook_outage",
  out_of_order: "webhook_chaos",
  late_payment: "late_payment",
};

interface CoverageKind {
  readonly title: string;
  /** Command that exercises it. */
  readonly commandFor?: (name: string) => string;
}

const KINDS: Readonly<Record<Kind, CoverageKind>> = {
  operations: { title: "Calls" },
  statuses: {
    title: "Statuses",
    commandFor: (name) => {
      const { verb } = STATUSES[name as keyof typeof STATUSES];
      // The command line has no verb for PENDING, AWAITING_PAYMENT and PROCESSING.
      if (verb !== undefined && name !== "PROCESSING") return `charge last ${verb}`;
      return name === "PENDING" ? "charge create" : "clock next";
    },
  },
  events: { title: "Events", commandFor: (name) => `trigger ${name}` },
  error_codes: {
    title: "Error codes",
    commandFor: (code) =>
      `fault add ${shellQuote(JSON.stringify({ respond: { status: ERROR_STATUS[code as ErrorCode], code }, times: 1 }))}`,
  },
  mishaps: {
    title: "Mishaps",
    commandFor: (name) => `scenario use ${SCENARIOS[name as MishapKind]}`,
  },
};

/** Operations, statuses, events, errors and mishaps the app has exercised, with commands for the rest. */
export function coverageSections(context: PageContext): Markup[] {
  const coverage = coverageOf(context.namespace.counters);
  return (Object.keys(KINDS) as Kind[]).map((kind) => {
    const { met, not_met } = coverage[kind];
    const { title, commandFor } = KINDS[kind];
    const names = [...Object.keys(met), ...not_met].sort();
    const chip = (name: string) =>
      name in met
        ? html`<li class="good"><span aria-hidden="true">✓</span> ${name} <small>${met[name]}×</small></li>`
        : html`<li><span aria-hidden="true">○</span> ${kind === "operations" ? html`<a href="/docs#${name}">${name}</a>` : name}<span class="unseen"> not exercised</span></li>`;
    return section({
      id: `coverage-${kind}`,
      title: `${title}: ${Object.keys(met).length} of ${names.length} exercised`,
      body: html`<ul class="chips" aria-label="${title}">${names.map(chip)}</ul>
${commandFor !== undefined && not_met.length > 0 && html`<details><summary>Commands that exercise the others</summary>${snippet("Commands", not_met.map((name) => cliCommand(context, commandFor(name))).join("\n"))}</details>`}`,
    });
  });
}
