#!/usr/bin/env node
// Old versions of Node get as far as this file: its syntax is theirs, and the program is imported after the check.
const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  import("node:module").then((module) => {
    // Where Node can, it keeps the compiled code in the machine's temporary folder for the next start.
    if (module.enableCompileCache !== undefined) module.enableCompileCache();
    return (
      import("../dist/cli.js")
        .then(({ main }) => main(process.argv))
        // It does so at the end; a sandbox that is killed has none.
        .then(() => {
          if (module.flushCompileCache !== undefined) module.flushCompileCache();
        })
    );
  });
} else {
  process.stderr.write(`payments-sandbox needs Node ${OLDEST} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
}
