#!/usr/bin/env node
// Old versions of Node get as far as this file: its syntax is theirs, and the program is loaded after the check.
const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) >= OLDEST) start();
else {
  process.stderr.write(`payments-sandbox needs Node ${OLDEST} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
}

function start() {
  const keep = keepsCompiledCode(require("node:module"));
  require("../dist/cli.cjs").main(process.argv).then(keep);
}

// Keeps compiled code beside the code for the next start: by Node since 22.1, by us before. Without a folder Node reads it from
// the temporary folder, where any user of the machine can put a file. Returns a function that writes it, to be called once the
// command is done or ready: a sandbox that is killed comes to no end.
function keepsCompiledCode(module) {
  if (module.enableCompileCache === undefined)
    return require("../dist/compiled-code.cjs").cacheCompiledCode();
  module.enableCompileCache(require("node:path").join(__dirname, "../dist/compiled"));
  return module.flushCompileCache;
}
