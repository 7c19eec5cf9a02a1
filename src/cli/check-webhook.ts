import type { Signature } from "../core/schema/signature-schemes.js";
import { toPrintableLine } from "../core/schema/text-format.js";
import { UserError } from "../core/schema/user-error.js";
import { checkWebhook } from "../tools/doctor/check.js";
import { readCheckOptions } from "../tools/doctor/check-options.js";
import { prepareOutputs } from "./output-files.js";
import { publishReports } from "./report/publish.js";
import { reportText } from "./report/report.js";
import { probeLine, reportOfWebhookCheck } from "./report/webhook.js";
import { lineWidth, printJson, printText } from "./terminal.js";
import { paint } from "./text-layout.js";

const EXIT_CODES = { passed: 0, failed: 1, unreachable: 2 } as const;

export interface CheckWebhookFlags {
  readonly secret?: string;
  readonly signature?: string;
  readonly timeout?: string;
  readonly junit?: string;
  readonly json?: boolean;
}

/** `check-webhook`: probes a receiver and prints the findings. */
export async function runCheckWebhook(url: string, flags: CheckWebhookFlags): Promise<void> {
  const options = readCheckOptions(
    url,
    {
      secret: flags.secret ?? (process.env.PAYMENTS_WEBHOOK_SECRET || undefined),
      signature: flags.signature === undefined ? undefined : signatureOf(flags.signature),
      timeout: flags.timeout,
    },
    (option) => (option === "url" ? "URL" : `--${option}`),
  );
  prepareOutputs(flags);
  const tell = flags.json ? () => {} : printText;
  const scheme = typeof options.signature === "string" ? options.signature : options.signature.header;
  tell(
    `${paint("bold", toPrintableLine(options.url))}  ${paint("dim", `signature: ${toPrintableLine(scheme)}`)}\n\n`,
  );
  const checked = await checkWebhook(options, (row) => tell(probeLine(row, lineWidth())));
  const report = reportOfWebhookCheck(checked);
  tell(`\n${reportText(report)}`);
  if (flags.json) printJson(checked, 2);
  process.exitCode = publishReports(flags.junit, [report], EXIT_CODES[checked.outcome]);
}

/** Parses `--signature`. Text that begins with `{` is a scheme in JSON; any other text is the name of a preset. */
function signatureOf(text: string): Signature {
  if (!text.trimStart().startsWith("{")) return text as Signature;
  try {
    return JSON.parse(text) as Signature;
  } catch (error) {
    throw new UserError(`--signature is not valid JSON: ${(error as Error).message}`);
  }
}
