import { failedTestsOf, happenedIn, namespacesOf } from "../../client/collect.js";
import { Mask } from "../../client/mask.js";
import { storyText } from "../../client/story-text.js";
import { ControlClient } from "../../control-client.js";
import type { Sandbox } from "../../sandbox.js";
import { oneLine } from "../../schema/printable.js";

/** In this process, so that it needs neither a port nor a token. */
export function clientOf(sandbox: Sandbox, namespace?: string): ControlClient {
  return new ControlClient({ fetch: sandbox.fetch, namespace });
}

/** Kinds of refused calls that are named. */
const REFUSALS_MAX = 5;

/** The calls that the service refused, by kind with the most frequent first. Calls that a fault failed are not the app's. */
async function refusalsOf(sandbox: Sandbox): Promise<string[]> {
  let calls = 0;
  const kinds = new Map<string, number>();
  for (const name of await namespacesOf(clientOf(sandbox))) {
    const { requests } = await happenedIn(clientOf(sandbox, name));
    calls += requests.total;
    for (const { method, path, status, fault, response_body } of requests.items) {
      if (typeof status !== "number" || status < 400 || fault !== null) continue;
      const kind = `${method} ${path} → ${status} ${errorText(response_body)}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  const refused = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  if (refused === 0) return [];
  const ranked = [...kinds].sort(([, a], [, b]) => b - a);
  const more = ranked.length - REFUSALS_MAX;
  return [
    `${refused} of ${calls} calls ${refused === 1 ? "was" : "were"} refused:`,
    ...ranked.slice(0, REFUSALS_MAX).map(([kind, count]) => `  ${count} × ${kind}`),
    ...(more > 0 ? [`  and ${more} more ${more === 1 ? "kind" : "kinds"}`] : []),
  ];
}

function errorText(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: string; details?: Record<string, string> } };
  const details = Object.entries(error?.details ?? {}).map(([field, fault]) => `${field} ${fault}`);
  return oneLine([error?.message ?? "", ...details].join("; "));
}

/**
 * What a run that failed is told at its end: the stories of the tests that failed where they were kept, else of the
 * charges that are not in order. Nothing when all are; under a mishap few can be.
 */
export async function storiesOf(sandbox: Sandbox, isUnderMishap: boolean): Promise<string[]> {
  const { tests } = await failedTestsOf(clientOf(sandbox));
  const refusals = isUnderMishap ? [] : await refusalsOf(sandbox);
  const texts = tests.map(({ test, text }) => `${test}\n${text}`);
  if (texts.length === 0 && !isUnderMishap)
    for (const name of await namespacesOf(clientOf(sandbox))) {
      const happened = await happenedIn(clientOf(sandbox, name));
      const troubled = happened.stories.items.filter(({ is_in_order }) => !is_in_order);
      const stories = { ...happened.stories, charges: happened.stories.not_in_order, items: troubled };
      if (troubled.length > 0) texts.push(new Mask().text(storyText({ ...happened, stories })));
    }
  return [...refusals, ...texts.flatMap((text) => text.split("\n"))];
}
