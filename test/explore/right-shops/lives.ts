import type { createSandbox, ExploreFlow, ExploreReport } from "../../../src/library/index.js";
import { hasJob, type Traits } from "./traits.js";
import { type OpenedShop, openShop } from "./trial.js";

/** Explores a right shop behind HTTP with lives: its customers place orders by a cart, and place them again to pay. */
export async function liveInShop(
  create: typeof createSandbox,
  traits: Traits,
  lives: number,
): Promise<ExploreReport> {
  const opened = await openShop(create, traits);
  try {
    return await opened.sandbox.explore(flowOf(opened, traits), { lives, throws: false });
  } finally {
    await opened.close();
  }
}

function flowOf({ url }: OpenedShop, traits: Traits): ExploreFlow {
  const orders = new Map<string, string>();
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw Object.assign(new Error(`${path}: ${response.status}`), { status: response.status });
    return (await response.json()) as { readonly order_id: string };
  };
  const place = async (id: string, email: string) => {
    const made = await call("POST", "/orders", { cart: id, email });
    orders.set(id, made.order_id);
    return made;
  };
  const emails = new Map<string, string>();
  return {
    name: "right-shop",
    see: {
      order: ({ id }) => call("GET", `/orders/${orders.get(id)}`),
      ...(traits.account === "none"
        ? {}
        : { account: ({ email }) => call("GET", `/customers/${encodeURIComponent(email)}`) }),
    },
    ...(hasJob(traits) ? { tick: () => call("POST", "/tick") } : {}),
    lives: {
      order: ({ id, email, press }) => {
        emails.set(id, email);
        return press("order", () => place(id, email));
      },
      attempt: ({ id, press }) => press("pay", () => place(id, emails.get(id)!)),
    },
  };
}
