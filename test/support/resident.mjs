/** Runs one command line after another, without starting a process for each. */
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

/** True if the command left anything open. */
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

/** Number of resources that keep this process alive. */
function kept() {
  return process.getActiveResourcesInfo().filter((what) => what !== "Immediate").length;
}
