/** Builds a test suite for each runner; `options` is source text that goes into an object literal. */
export function suites(tests: string, options = "") {
  return {
    jest: `
const assert = require("node:assert/strict");
const { setupSandbox } = require("payments-sandbox/testing");
const sandbox = setupSandbox({ ${options} });
${tests}`,
    vitest: `
import assert from "node:assert/strict";
import { setupSandbox } from "payments-sandbox/testing";
import { beforeAll, describe, test, vi } from "vitest";
const sandbox = setupSandbox({ ${options} });
${tests}`,
    node: `
import assert from "node:assert/strict";
import * as hooks from "node:test";
import { setupSandbox } from "payments-sandbox/testing";
const { before: beforeAll, describe, test } = hooks;
const sandbox = setupSandbox({ hooks, ${options} });
${tests}`,
  };
}
