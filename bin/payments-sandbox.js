#!/usr/bin/env node
// Old versions of Node get as far as this file: its syntax is theirs, and the program is imported after the check.
const OLDEST = 20;

if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  import("../dist/cli.js").then(({ main }) => main(process.argv));
} else {
  process.stderr.write(`payments-sandbox needs Node ${OLDEST} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
}
