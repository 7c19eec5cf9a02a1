import { join } from "node:path";
import { ROOT } from "./built.js";

const FILE = JSON.stringify(join(ROOT, "test/support/light-fetch.cjs"));
/** Prefix of scripts that call a sandbox, faster than with Node's `fetch`. */
export const FETCH_REQUIRED = `const fetch = require(${FILE});`;
export const FETCH_IMPORTED = `import fetch from ${FILE};`;
/** Prefix of scripts that use `call` or `pay`. */
export const CALL_REQUIRED = `const { call, PRICE, pay } = require(${FILE});`;
export const CALL_IMPORTED = `${FETCH_IMPORTED}const { call, PRICE, pay } = fetch;`;
