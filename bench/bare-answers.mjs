import { readFileSync } from "node:fs";

/**
 * What the bare servers answer: the very bodies the sandbox gave to the same requests, from the file named on
 * the command line, as text that is ready to be sent. That is the hardest baseline there is: no work at all
 * but HTTP's. Without a file (start-up, memory) every answer is one small constant.
 *
 * @returns {{ charge: string, payins: string, whitelabel: string }}
 */
export function answers() {
  const file = process.argv[2];
  if (file !== undefined) return JSON.parse(readFileSync(file, "utf8"));
  const text = '{"status":"ok"}';
  return { charge: text, payins: text, whitelabel: text };
}

/** Says where the server is, in the sandbox's own words (`start --json`). */
export function sayReady(port) {
  process.stdout.write(`${JSON.stringify({ port })}\n`);
}
