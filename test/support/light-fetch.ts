import { join } from "node:path";
import { ROOT } from "./built.js";

const FILE = JSON.stringify(join(ROOT, "test/support/light-fetch.cjs"));
/** What scripts of Node begin with that call a sandbox, for half of what they take with Node's own `fetch`. */
export const FETCH_REQUIRED = `const fetch = require(${FILE});`;
export const FETCH_IMPORTED = `import fetch from ${FILE};`;
