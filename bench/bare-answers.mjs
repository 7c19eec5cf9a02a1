import { readFileSync } from "node:fs";

/**
 * What the bare servers answer: the very bodies the sandbox gave to the same requests, from the file named on
 * the command line. Without a file (start-up, memory) every answer is one small constant.
 *
 * @returns {{ charge: string, payins: string, whitelabel: string }}
 */
export function answers() {
  const file = process.argv[2];
  if (file !== undefined) return JSON.parse(readFileSync(file, "utf8"));
  const text = '{"status":"ok"}';
  return { charge: text, payins: text, whitelabel: text };
}

/** Whether they are the sandbox's, and not a constant. */
export function areReal() {
  return process.argv[2] !== undefined;
}

/** Says where the server is, in the sandbox's own words (`start --json`). */
export function sayReady(port) {
  process.stdout.write(`${JSON.stringify({ port })}\n`);
}
