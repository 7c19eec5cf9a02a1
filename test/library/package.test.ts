import { describe, expect, it } from "vitest";
import { NODES, Project } from "../support/packed.js";

const FLOW = `
  const sandbox = await createSandbox({ clock: "manual" });
  const heard = [];
  sandbox.onWebhook(async (request) => void heard.push((await request.json()).type));
  const { url } = await sandbox.listen();
  const call = async (send, method, path, body) => {
    const headers = { authorization: "Bearer " + sandbox.apiKey, "content-type": "application/json" };
    return (await send(path, { method, headers, body: body && JSON.stringify(body) })).json();
  };
  const pricing = { base_currency: "NGN", amount: "100.00" };
  const { quote_id } = await call(sandbox.fetch, "POST", "/api/v1/payments/quotes", {
    pricing, payment_method: "bank_transfer",
  });
  const { charge_id } = await call(sandbox.fetch, "POST", "/api/v1/payments/whitelabel", {
    pricing, payment_method: "bank_transfer", bank_account_number: "0123456789",
    customer_email: "ada@shop.test", quote_id,
  });
  await sandbox.advance("10s");
  const overPort = (path, init) => fetch(url + path, init);
  const { status } = await call(overPort, "GET", "/api/v1/payments/charges/" + charge_id);
  const refused = await sandbox.transition(charge_id, "PENDING").catch((error) => error);
  const docs = await sandbox.fetch("/docs");
  const doctor = await sandbox.checkWebhook(url + "/nowhere");
  console.log([
    status, heard.length, refused instanceof SandboxError, refused.code, docs.status,
    (await createSandbox({ clock: "fast" }).catch((error) => error)) instanceof UserError, doctor.probes.length > 10,
  ].join(" "));
  await sandbox.close();
`;
const PRINTED = "COMPLETED 3 true INVALID_TRANSITION 200 true true\n";
const NAMES = "createSandbox, SandboxError, UserError";

/** Prints errors and the handles that keep the process alive. */
const QUIET = `
  const handles = process.getActiveResourcesInfo().filter((name) => !/^(TTYWrap|PipeWrap|FSReqPromise|CloseReq|FSReqCallback|ConfigureReq)/.test(name));
  const events = ["exit", "SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection", "warning", "beforeExit"];
  console.log(JSON.stringify([handles, events.filter((name) => process.listenerCount(name) > before[name])]));
`;
const COUNT = `Object.fromEntries(["exit", "SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection", "warning", "beforeExit"].map((name) => [name, process.listenerCount(name)]))`;

const project = new Project({
  "flow.cjs": `const { ${NAMES} } = require("payments-sandbox"); (async () => {${FLOW}})();`,
  "flow.mjs": `import { ${NAMES} } from "payments-sandbox"; ${FLOW}`,
  "both.mjs": `
    import { createRequire } from "node:module";
    import * as imported from "payments-sandbox";
    import * as importedTesting from "payments-sandbox/testing";
    const require = createRequire(import.meta.url);
    const names = (module) => Object.keys(module).filter((name) => name !== "__esModule").sort().join(",");
    console.log(names(imported) === names(require("payments-sandbox")), names(importedTesting), names(require("payments-sandbox/testing")));
    console.log(imported.SandboxError === require("payments-sandbox").SandboxError);
    const [one, two] = [await imported.createSandbox(), await require("payments-sandbox").createSandbox()];
    console.log(JSON.stringify(one.snapshot().collections.endpoints) === JSON.stringify(two.snapshot().collections.endpoints));
    await one.close();
    await two.close();
  `,
  "quiet.mjs": `const before = ${COUNT}; await import("payments-sandbox"); await import("payments-sandbox/testing"); ${QUIET}`,
  "quiet.cjs": `const before = ${COUNT}; require("payments-sandbox"); require("payments-sandbox/testing"); ${QUIET}`,
  "reads.cjs": `
    const fs = require("node:fs");
    const { dirname, sep } = require("node:path");
    const home = dirname(require.resolve("payments-sandbox/package.json")) + sep;
    const others = [];
    for (const name of ["readFileSync", "openSync", "readdirSync", "existsSync", "writeFileSync"]) {
      const real = fs[name];
      fs[name] = (...args) => {
        if (!/\\.(c?js|json)$/.test(String(args[0]))) others.push(name + " " + args[0]);
        return real(...args);
      };
    }
    const { createSandbox } = require("payments-sandbox");
    require("payments-sandbox/testing");
    console.log(JSON.stringify(others));
    (async () => {
      await (await createSandbox()).close();
      console.log(others.some((one) => one.endsWith("default.yaml")));
      others.length = 0;
      await (await createSandbox()).close();
      console.log(JSON.stringify(others));
    })();
  `,
});

/** Binary of the oldest supported Node, if there is one. */
const OLDEST = process.env.PAYMENTS_SANDBOX_OLDEST_NODE;
const ALL_NODES = OLDEST === undefined ? NODES : [...NODES, OLDEST];

describe.each(ALL_NODES.map((node, index) => [index === 0 ? process.version : `node ${index}`, node]))(
  "the package on %s",
  (_version, node) => {
    it.each(["flow.mjs", "flow.cjs"])("a payment with its webhook completes: %s", async (file) => {
      expect(await project.run([file], {}, node)).toEqual({ code: 0, stdout: PRINTED, stderr: "" });
    });

    it("import and require export the same names", async () => {
      expect(await project.run(["both.mjs"], {}, node)).toEqual({
        code: 0,
        stdout: "true setupSandbox setupSandbox\ntrue\ntrue\n",
        stderr: "",
      });
    });

    it.each(["quiet.mjs", "quiet.cjs"])("importing the package starts nothing: %s", async (file) => {
      expect(await project.run([file], {}, node)).toEqual({ code: 0, stdout: "[[],[]]\n", stderr: "" });
    });

    it("importing the package loads no other package", async () => {
      const stdout = "[]\ntrue\n[]\n";
      expect(await project.run(["reads.cjs"], {}, node)).toEqual({ code: 0, stdout, stderr: "" });
    });
  },
);
