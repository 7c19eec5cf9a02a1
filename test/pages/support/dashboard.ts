import type { SandboxOptions } from "../../../src/library/index.js";
import { Api, openSandbox } from "../../support/api-client.js";
import { joinTags } from "../../support/markup.js";
import { type Handler, Receiver } from "../../support/receiver-server.js";

/** Path that a response to a request at `from` redirects to. */
export function redirectPath(response: Response, from: string): string {
  const { pathname, search, hash } = new URL(response.headers.get("location")!, `http://sandbox${from}`);
  return pathname + search + hash;
}

/** Opens a sandbox and uses its dashboard like a browser without scripts. */
export async function openDashboard(options: SandboxOptions = {}) {
  const sandbox = await openSandbox(options);
  const api = new Api(sandbox);
  const send = (path: string, init: RequestInit = {}) =>
    sandbox.fetch(new Request(`http://sandbox${path}`, init));
  const charge = async (customer_email: string, more: object = {}) => {
    const order = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };
    const { quote_id } = await api.quote(order);
    return (await api.whitelabel({ ...order, quote_id, customer_email, ...more })).charge_id;
  };
  const post = (path: string, fields: Record<string, string>, extra: Record<string, string> = {}) =>
    send(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...extra },
      body: new URLSearchParams(fields).toString(),
    });
  const home = "/_sandbox/dashboard/default";
  /** Presses a button and returns the page it redirects to. */
  const press = async (does: string, fields: Record<string, string> = {}) => {
    const answer = await post(home, { do: does, back: `${home}/charges`, ...fields });
    if (answer.status !== 303)
      return { status: answer.status, location: null, text: joinTags(await answer.text()) };
    const location = redirectPath(answer, home);
    const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
    return {
      status: 303,
      location,
      text: joinTags(await (await send(location, { headers: { cookie } })).text()),
    };
  };
  /** Stores a scenario through the control API. */
  const put = async (name: string, scenario: string) => {
    const answer = await send(`/_sandbox/scenarios/${name}`, { method: "PUT", body: scenario });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const page = async (path = "") => joinTags(await (await send(`${home}${path}`)).text());
  return { sandbox, api, send, charge, post, press, put, page, home };
}

export async function withReceiver(handler?: Handler) {
  const receiver = await Receiver.open(handler);
  return { ...(await openDashboard({ rateLimit: "off", webhooks: [receiver.url] })), receiver };
}

export const lacking = (page: string, texts: readonly string[]) =>
  texts.filter((text) => !page.includes(text));

/** Returns the text of a page without its frame. */
export const textOf = (page: string) =>
  page
    .slice(Math.max(0, page.indexOf("<main")))
    .replace(/<wbr>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
