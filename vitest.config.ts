import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.js";
import { nativeSource } from "./test/support/native-source.js";

/** Tests that start the command, a package manager, a compiler, another test runner or a program of another language. */
const PROCESS = [
  "test/cli/!(commands).test.ts",
  "test/compare/!(tables).test.ts",
  "test/containers/**/*.test.ts",
  "test/docs/!(commands|generated|links).test.ts",
  "test/doctor/{docs,good}.test.ts",
  "test/examples/**/*.test.ts",
  "test/kills/**/*.test.ts",
  "test/library/{failed-tests,jest,package,runners,types,explore-in-runners}.test.ts",
  "test/openapi/{call-examples,client,generators}.test.ts",
  "test/package/**/*.test.ts",
  "test/pages/copied-tests.test.ts",
  "test/steps/{cli,given,running-sandbox,shop}.test.ts",
  "test/webhooks/{docs,signatures}.test.ts",
];
/** Tests that install packages of test/packages.json, and start no process besides. */
const PACKAGES = ["test/doctor/schemes.test.ts", "test/openapi/lint.test.ts"];
/** Tests on a PostgreSQL. */
const DATABASE = ["test/postgres/**/*.test.ts", "test/runtime/storage.test.ts"];
/** Tests of pages in a real Chromium. */
const BROWSER = ["test/pages/*browser.test.ts", "test/openapi/{docs,control-docs}.test.ts"];
/** Explorations, simulations and other tests that take seconds each. */
const DEEP = [
  "test/control/large-pages.test.ts",
  "test/corpus/**/*.test.ts",
  "test/determinism/**/*.test.ts",
  "test/domain/patterns.test.ts",
  "test/doors/input.test.ts",
  "test/doctor/{faults,planted}.test.ts",
  "test/engine/timeline.test.ts",
  "test/explore/!(brief|fake-deviable|isolation|judge|places|plain-runs|quiet-end|search|strict|text).test.ts",
  "test/explore/functions/{hidden-work,incidents,languages}.test.ts",
  "test/explore/lives/!(wrong-input).test.ts",
  "test/http/bad-input.test.ts",
  "test/pages/without-pages.test.ts",
  "test/parallel/**/*.test.ts",
  "test/runtime/{clock,crash-images,store-damage,store-lock}.test.ts",
  "test/simulation/**/*.test.ts",
  "test/state/**/*.test.ts",
  "test/steps/broken-files.test.ts",
  "test/webhooks/{receivers,storm}.test.ts",
];

/** Left out by `npm test`. */
const LEFT_OUT = [...PROCESS, ...PACKAGES, ...DATABASE, ...BROWSER, ...DEEP];

// Every Node process of a test would spend a tenth of a second on reading these certificates.
delete process.env.NODE_EXTRA_CA_CERTS;
// In a job of GitHub, commands also write annotations and a summary.
delete process.env.GITHUB_ACTIONS;

export default defineConfig(({ mode }) => ({
  plugins: [nativeSource()],
  test: {
    // Together `quick` and `rest` run each file once. They are not separate projects, which would load every module again
    // in each of their workers.
    include: mode === "rest" ? LEFT_OUT : ["test/**/*.test.ts"],
    exclude: mode === "quick" ? LEFT_OUT : [],
    // Closes what tests opened, and compares every response of the service with the OpenAPI document.
    setupFiles: ["test/support/setup.ts"],
    // Only for tests that hang: bench/ measures speed, and a busy machine must not fail a test.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    // Starting a process maps its parent's memory again, which with threads includes that of all workers.
    pool: "forks",
    // Files share the modules of their worker, which halves the time, so no file may leave global state behind.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Files wait for processes, pages and running clocks: two workers more than cores keep the cores busy.
    maxWorkers: availableParallelism() + 2,
  },
}));
