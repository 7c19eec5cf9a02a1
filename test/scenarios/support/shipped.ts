import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ScenarioFile } from "../../../src/core/schema/scenario-file.js";
import { ROOT } from "../../support/process-command.js";

/** A file in `scenarios/`. */
export interface ShippedFile {
  /** Such as `flow_card.yaml`. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly value: ScenarioFile;
}

export const SHIPPED: readonly ShippedFile[] = readdirSync(join(ROOT, "scenarios"))
  .filter((name) => name.endsWith(".yaml"))
  .sort()
  .map((name) => {
    const path = join(ROOT, "scenarios", name);
    const text = readFileSync(path, "utf8");
    return { name, path, text, value: parse(text) as ScenarioFile };
  });

export const FLOWS = SHIPPED.filter(({ value }) => value.steps !== undefined);

/** Documented scenarios that are selected by name. */
export const NAMED_SCENARIOS = `
  default success instant declined insufficient_funds cancelled expired paid_late stuck slow refunded
  crypto_confirmations webhook_chaos webhook_outage webhooks_lost webhook_twice_at_once webhook_new_ids
  webhook_days_later webhook_response_lost webhook_first forged_webhook flaky_api slow_api lost_response late_answer
  hanging_answer stale_reads
`
  .trim()
  .split(/\s+/);

export function firstSentence({ value }: ShippedFile): string {
  return /^.*?[.!?](?=\s|$)/s.exec((value.description ?? "").replace(/\s+/g, " ").trim())?.[0] ?? "";
}
