import { expect, it } from "vitest";
import type { Namespaces } from "../../src/core/namespace/namespaces.js";
import { STREAM_SCHEMAS } from "../../src/core/schema/control-responses.js";
import { ERROR_STATUS } from "../../src/core/schema/refusals.js";
import { PAGES } from "../../src/pages/page-routes.js";
import { CONTROL_OPERATIONS } from "../../src/server/control/operations.js";
import { createApps } from "../../src/server/http/app.js";
import { schemaNameOf } from "../../src/server/openapi/schemas.js";
import { control } from "../support/openapi-control.js";

/** Paths that are pages or the document itself. */
const NO_CALLS = [
  ...["", "/:namespace", "/:namespace/:view", "/:namespace/:view/:id"].flatMap((below) => [
    `/_sandbox/dashboard${below}`,
    `/_sandbox/dashboard${below}/`,
  ]),
  "/_sandbox/dashboard.css",
  "/_sandbox/dashboard.js",
  "/_sandbox/docs",
  "/_sandbox/openapi.json",
];

const DESCRIBED = { description: expect.stringMatching(/\w/) };

it("the control document contains exactly the operations of the table", async () => {
  const { app, control: controlApp } = createApps({
    namespaces: {} as Namespaces,
    pages: PAGES,
    documentOf: () => Promise.reject(),
    onError: () => {},
  });
  const served = [...app.routes.filter(({ method }) => method !== "ALL"), ...(await controlApp()).app.routes]
    .filter(({ path }) => path === "/health" || path === "/_sandbox" || path.startsWith("/_sandbox/"))
    .filter(({ path }) => !NO_CALLS.includes(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  const described = control.operations.map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(served.sort());
  expect(described).toHaveLength(CONTROL_OPERATIONS.length + 2);
});

it("the control document names each operation once", () => {
  const ids = control.operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const named = [...CONTROL_OPERATIONS.map(({ id }) => id), "getHealth", "followStream"];
  expect([...ids].sort()).toEqual([...named].sort());
  for (const { id, method, path } of CONTROL_OPERATIONS)
    expect(control.find(method, path.replace(/:\w+/g, "x"))?.id).toBe(id);
});

it("the control document describes every schema, body field and parameter", () => {
  const { schemas } = control.document.components;
  const bodies = JSON.stringify(control.operations.map(({ requestBody }) => requestBody?.content));
  for (const [name, { description, properties }] of Object.entries(schemas)) {
    expect(description, name).toMatch(/\w/);
    for (const [field, property] of Object.entries((properties ?? {}) as Record<string, object>))
      if (bodies.includes(`/${name}"`) || "description" in property)
        expect(property, `${name} ${field}`).toMatchObject(DESCRIBED);
  }
  for (const { id, parameters } of control.operations)
    for (const parameter of parameters) expect(parameter, id).toMatchObject(DESCRIBED);
});

it("the control document describes the items of every array", () => {
  const bare: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { type, items } = value as { type?: unknown; items?: unknown };
    if (type === "array" && items === undefined) bare.push(path);
    for (const [name, inner] of Object.entries(value)) visit(inner, `${path}/${name}`);
  };
  visit(control.document, "");
  expect(bare).toEqual([]);
});

it("the control document has an example of every required body", () => {
  for (const { id, path, method, requestBody, responses } of control.operations) {
    for (const { value } of Object.values(requestBody?.content["application/json"]?.examples ?? {}))
      expect(control.takes(id, value), `${id} ${JSON.stringify(value)}`).toBe(true);
    if (requestBody?.required)
      expect(requestBody.content["application/json"], id).toHaveProperty("examples.example");
    for (const [status, answer] of Object.entries(responses)) {
      if ("$ref" in answer) continue;
      for (const [type, { examples = {} }] of Object.entries(answer.content)) {
        const headers = new Headers({
          "content-type": type,
          "sandbox-now": "now",
          "x-content-type-options": "nosniff",
        });
        for (const { value } of Object.values(examples)) {
          const text = type === "application/json" ? JSON.stringify(value) : String(value);
          expect(control.faults(method, path, Number(status), headers, text)).toEqual([]);
        }
      }
    }
  }
});

it("the control document lists errors by status", () => {
  let count = 0;
  for (const { id, responses } of control.operations)
    for (const [status, answer] of Object.entries(responses)) {
      if (status === "200" || "$ref" in answer) continue;
      for (const { value } of Object.values(answer.content["application/json"]!.examples ?? {})) {
        const { code } = (value as { error: { code: keyof typeof ERROR_STATUS } }).error;
        const usual = code === "INSUFFICIENT_BALANCE" ? 409 : ERROR_STATUS[code];
        expect([id, code, usual]).toEqual([id, code, Number(status)]);
        count++;
      }
    }
  expect(count).toBeGreaterThan(200);
});

it("every operation except health accepts the token or no authentication", () => {
  expect(control.document.security).toContainEqual({ controlToken: [] });
  expect(control.document.security).toContainEqual({});
  expect(control.document.components.securitySchemes.controlToken).toMatchObject({
    in: "header",
    name: "Sandbox-Control-Token",
  });
  const free = control.operations.filter(
    ({ parameters }) => !parameters.some(({ name }) => name === "Sandbox-Namespace"),
  );
  expect(free.map(({ id }) => id)).toEqual(["getHealth"]);
});

it("documents `wait` for exactly the calls that an advance blocks", () => {
  const waiting = control.operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === "wait"),
  );
  expect(waiting.map(({ id }) => id).sort()).toEqual([
    "advanceClock",
    "putState",
    "resetSandbox",
    "restoreSnapshot",
    "setClock",
  ]);
});

it("the control document has a schema for each message of the stream", () => {
  for (const schema of Object.values(STREAM_SCHEMAS))
    expect(Object.keys(control.document.components.schemas)).toContain(schemaNameOf(schema));
});

it("the control document describes every request body", () => {
  const optional = control.operations
    .filter(({ requestBody }) => requestBody?.required === false)
    .map(({ id }) => id);
  expect(optional).toEqual(expect.arrayContaining(["resetSandbox", "refundCharge", "redeliver"]));
  for (const { id, requestBody } of control.operations)
    if (requestBody !== undefined) expect(control.takes(id, {}), id).toBe(!requestBody.required);
});
