// docs/SKILL.md: the page that `guide` prints, with the head that coding agents look for.
import { GENERATED } from "./markdown.mjs";

const HEAD = `---
name: payments-sandbox
description: Develop and test an app that calls the payments API (quotes, whitelabel and hosted checkouts, charges, payouts, webhooks) against a local sandbox.
---`;

export async function skillPage({ createSandbox }) {
  const sandbox = await createSandbox({ clock: "manual" });
  try {
    const answer = await sandbox.fetch(new Request("http://127.0.0.1:4402/llms.txt"));
    return `${HEAD}\n\n${GENERATED}\n\n${(await answer.text()).trimEnd()}\n`;
  } finally {
    await sandbox.close();
  }
}
