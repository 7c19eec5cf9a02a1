import { createServer } from "node:http";
import { expect, it } from "vitest";
import { openSandbox } from "../support/api-client.js";
import { listening } from "../support/servers.js";
import { type Answer, type CallService, foundIn, openApp, shopOf } from "./apps.js";
import { FLOW, PRESSES, pressedApp } from "./support.js";

const RESETTING = `${FLOW}reset:\n  - app: POST /reset\n`;

/** A correct shop whose reset fails after that many calls. */
const resetting =
  (times: number) =>
  (call: CallService): Answer => {
    const answer = shopOf()(call);
    let resets = 0;
    return async (route, body) =>
      route === "POST /reset" ? [++resets > times ? 500 : 200] : answer(route, body);
  };

it.concurrent("a failed reset is not a fault of the app", async () => {
  const { report, found } = await foundIn(await openApp(resetting(4)), RESETTING);
  expect(found).toEqual([]);
  expect(report.notes).toContainEqual(
    expect.stringMatching(/^not judged: \w+ at .*: app POST \/reset: status 500/),
  );
  expect(report).toMatchObject({ passed: false, complete_depth: 0 });
  expect(report.sentence).toMatch(
    /; depth 0 complete: the flow no longer passes without deviations \(app POST \/reset: status 500, not 2xx\): fix that first$/,
  );
});

it.concurrent("no depth is complete after the flow itself fails", async () => {
  const { report } = await foundIn(await openApp(resetting(40)), RESETTING, { depth: 2 });
  expect(report).toMatchObject({ passed: false, complete_depth: 0, findings: [] });
});

it.concurrent("a failed reset is not a fault of the app in a repeated race", async () => {
  const sandbox = await openSandbox();
  const shop = pressedApp();
  const pressed = new Set<string>();
  let repeated = 0;
  const app = createServer((request, response) => {
    const { method, url = "" } = request;
    if (url === "/reset") return void response.writeHead(repeated > 2 ? 500 : 200).end();
    if (method === "POST" && pressed.has(url)) repeated++;
    if (method === "POST") pressed.add(url);
    shop(request, response);
  });
  const url = `http://127.0.0.1:${await listening(app)}`;
  const { report, found } = await foundIn({ sandbox, app: url }, `${PRESSES}reset:\n  - app: POST /reset\n`);
  // A press after the response is tried first, and once more to confirm.
  expect(found).toEqual(
    ["pressed_twice", "pressed_again"].map((kind) => expect.stringContaining(`money: ${kind}`)),
  );
  expect(report.findings[0]).toMatchObject({ seen: { runs: 1, of: 1 } });
});
