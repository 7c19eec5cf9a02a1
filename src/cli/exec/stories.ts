import { failedTestsOf, happenedIn, namespacesOf } from "../../client/collect.js";
import { Mask } from "../../client/mask.js";
import { storyText } from "../../client/story-text.js";
import { ControlClient } from "../../control-client.js";
import type { Sandbox } from "../../sandbox.js";

/** In this process, so that it needs neither a port nor a token. */
export function clientOf(sandbox: Sandbox, namespace?: string): ControlClient {
  return new ControlClient({ fetch: sandbox.fetch, namespace });
}

/**
 * What a run that failed is told at its end: the stories of the tests that failed where they were kept, else of the
 * charges that are not in order. Nothing when all are; under a mishap few can be.
 */
export async function storiesOf(sandbox: Sandbox, isUnderMishap: boolean): Promise<string[]> {
  const { tests } = await failedTestsOf(clientOf(sandbox));
  const texts = tests.map(({ test, text }) => `${test}\n${text}`);
  if (texts.length === 0 && !isUnderMishap)
    for (const name of await namespacesOf(clientOf(sandbox))) {
      const happened = await happenedIn(clientOf(sandbox, name));
      const troubled = happened.stories.items.filter(({ is_in_order }) => !is_in_order);
      const stories = { ...happened.stories, charges: happened.stories.not_in_order, items: troubled };
      if (troubled.length > 0) texts.push(new Mask().text(storyText({ ...happened, stories })));
    }
  return texts.flatMap((text) => text.split("\n"));
}
