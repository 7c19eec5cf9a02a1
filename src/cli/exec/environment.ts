import { appEnvironment } from "../../app-environment.js";
import type { Sandbox } from "../../sandbox.js";
import { UserError } from "../../schema/user-error.js";

/** What `--env NAME=TEMPLATE` sets. */
export interface Template {
  readonly name: string;
  readonly text: string;
}

export function parseTemplate(given: string): Template {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(given);
  if (match === null) throw new UserError(`--env takes NAME=TEMPLATE, not ${JSON.stringify(given)}`);
  return { name: match[1]!, text: match[2]! };
}

/** What tells the command where the sandbox is and how to use it. */
export function environmentOf(sandbox: Sandbox, templates: readonly Template[]): Record<string, string> {
  const values: Record<string, string> = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    webhook_secret: sandbox.webhookSecret,
    sandbox_url: sandbox.url,
    ...(sandbox.trust && { ca_file: sandbox.trust.caFile }),
  };
  const environment: Record<string, string> = appEnvironment(sandbox);
  for (const { name, text } of templates)
    environment[name] = text.replace(/\{(\w+)\}/g, (whole, key: string) => {
      if (!Object.hasOwn(values, key))
        throw new UserError(
          `--env ${name}: there is no ${whole}; known: ${Object.keys(values)
            .map((one) => `{${one}}`)
            .join(", ")}`,
        );
      return values[key]!;
    });
  return environment;
}
