import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { idleProgram } from "../docs/support/program.js";
import { buildIfMissing, Command, ROOT, run } from "../support/process-command.js";

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Instructions of the Dockerfile, with continued lines joined. */
const instructions: Instruction[] = textOf("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => ({ name: line.split(" ")[0]!, rest: line.slice(line.indexOf(" ") + 1).trim() }));

const only = (name: string): string => {
  const found = instructions.filter((one) => one.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!.rest;
};

const environment = Object.fromEntries(
  only("ENV")
    .split(/\s+/)
    .map((pair) => pair.split("=") as [string, string]),
);
const entrypoint: string[] = JSON.parse(only("ENTRYPOINT"));
const command: string[] = JSON.parse(only("CMD"));
const health: string[] = JSON.parse(/CMD (\[.*\])$/.exec(only("HEALTHCHECK"))![1]!);

/** Simulates Node's error for a user without an entry in /etc/passwd. */
const NOBODY = `
  import os from "node:os";
  import { syncBuiltinESMExports } from "node:module";
  os.userInfo = () => { throw new Error("uv_os_get_passwd returned ENOENT"); };
  syncBuiltinESMExports();
`;

/** Throws the program's error when it does not accept the arguments. */
async function understood(words: readonly string[]): Promise<void> {
  await idleProgram().parseAsync([...words], { from: "user" });
}

describe("the Dockerfile", () => {
  it("the Dockerfile uses a small base image and copies one file", () => {
    const [from, copy, ...others] = instructions;
    expect(from).toEqual({
      name: "FROM",
      rest: expect.stringMatching(/^node:\d+-alpine@sha256:[0-9a-f]{64}$/),
    });
    expect(copy!.name).toBe("COPY");
    const [source, target] = copy!.rest.split(" ");
    buildIfMissing();
    expect(existsSync(join(ROOT, source!))).toBe(true);
    expect(textOf(".dockerignore")).toBe(`*\n!${source}\n`);
    expect(entrypoint).toEqual(["node", target]);
    expect(others.map(({ name }) => name)).toEqual([
      "ENV",
      "USER",
      "EXPOSE",
      "HEALTHCHECK",
      "ENTRYPOINT",
      "CMD",
    ]);
  });

  it("the Dockerfile runs as a user other than root, with a health check", async () => {
    expect(only("USER")).toBe("node");
    expect(only("EXPOSE")).toBe("4402");
    expect(health.slice(0, 2)).toEqual(entrypoint);
    await understood(health.slice(2));
    await understood(command);
  });

  it("the image listens on every interface and requires a token for control calls", async () => {
    const file = join(ROOT, "dist/payments-sandbox.mjs");
    const server = new Command([...command, "--json", "--port", "0"], { file, env: environment });
    const { port } = await server.ready();
    expect(environment.PAYMENTS_SANDBOX_HOST).toBe("0.0.0.0");
    const env = { ...environment, PAYMENTS_SANDBOX_URL: `127.0.0.1:${port}` };
    // `docker run --user 12345` selects a user that the image does not know.
    const asNobody = { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOBODY)}` };
    expect(await run(health.slice(2), { file, env: asNobody })).toMatchObject({ code: 0, stderr: "" });
    expect((await fetch(`http://127.0.0.1:${port}/_sandbox`)).status).toBe(403);
  });
});

describe("containers/", () => {
  it("compose.yaml starts the image with valid arguments", async () => {
    const { payments } = parse(textOf("containers/compose.yaml")).services;
    expect(existsSync(join(ROOT, "containers", payments.build.context, "Dockerfile"))).toBe(true);
    await understood(payments.command.split(/\s+/));
    expect(payments.environment).toHaveProperty("PAYMENTS_SANDBOX_CONTROL_TOKEN");
    // Published on loopback only, because the keys are public.
    expect(payments.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:4402:4402$/)]);
  });

  it("devcontainer.json starts a sandbox with valid arguments", async () => {
    const { postStartCommand, forwardPorts, containerEnv } = JSON.parse(
      textOf("containers/devcontainer.json"),
    );
    await understood(/npx payments-sandbox (.*?) >/.exec(postStartCommand)![1]!.split(" "));
    expect(containerEnv.PAYMENTS_BASE_URL).toBe(`http://127.0.0.1:${forwardPorts[0]}`);
  });
});

it("third-party images are pinned by digest", () => {
  const images = ["shared.compose.yaml", "shared.kubernetes.yaml", "compose.yaml"].flatMap((name) =>
    [...textOf(`containers/${name}`).matchAll(/image: (\S+)/g)].map(([, image]) => image!),
  );
  expect(images).toContain("payments-sandbox");
  for (const image of images.filter((one) => !one.startsWith("payments-sandbox")))
    expect(image).toMatch(/^[\w.:/-]+@sha256:[0-9a-f]{64}$/);
});
