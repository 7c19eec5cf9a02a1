/**
 * Carries out one command line after another, as bin/ does each in a process of its own. One is over when it has ended
 * and nothing of it is left that would keep a process.
 */
import { main } from "../../dist/cli.cjs";

const SIGNALS = ["SIGINT", "SIGTERM", "uncaughtException"];
const STREAMS = ["stdout", "stderr"];
const told = {};
for (const name of STREAMS)
  process[name].write = (text, ...rest) => {
    told[name] += text;
    rest.at(-1)?.();
    return true;
  };

class Exit extends Error {}
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw new Exit();
};

process.on("message", async ({ args, cwd, env }) => {
  for (const name of STREAMS) told[name] = "";
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.exitCode = undefined;
  const isLast = await carryOut(args);
  for (const name of STREAMS) process[name].removeAllListeners("error");
  for (const name of SIGNALS) process.removeAllListeners(name);
  process.send({ code: process.exitCode ?? 0, signal: null, ...told, isLast });
  if (isLast) process.disconnect();
});

/** Whether it left something, which the end of a process would take with it. */
async function carryOut(args) {
  const before = kept();
  try {
    await main([process.execPath, "payments-sandbox", ...args]);
  } catch (error) {
    if (error instanceof Exit) return true;
    throw error;
  }
  while (kept() > before) await new Promise(setImmediate);
  return false;
}

/** How much keeps this process going. */
function kept() {
  return process.getActiveResourcesInfo().filter((what) => what !== "Immediate").length;
}
