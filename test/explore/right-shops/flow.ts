// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { waitingAndPaidWords } from "./order.js";
import { hasJob, type Traits } from "./traits.js";

type Step = Readonly<Record<string, unknown>>;

/** Writes the flow of a shop as a scenario file. JSON is YAML. */
export function flowOf(traits: Traits): string {
  const count = Number(traits.payments);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const emails = numbers.map((number) => [`email${number}`, emailOf(number, traits)]);
  const carts = numbers.map((number) => [`cart${number}`, `cart${number}-\${run.id}`]);
  const work = hasJob(traits) ? [{ app: "POST /tick" }] : [];
  const flow = {
    name: "right-shop",
    vars: Object.fromEntries([...emails, ...carts]),
    steps: stepsOf(numbers, traits, work),
    observe: [
      ...numbers.map((number) => ({ app: `GET /orders/\${order${number}}` })),
      ...(traits.account === "none" ? [] : [{ app: "GET /customers/${email1}" }]),
    ],
    ...(work.length === 0 ? {} : { tick: work }),
  };
  return `${JSON.stringify(flow, undefined, 2)}\n`;
}

function emailOf(number: number, { customers }: Traits): string {
  const name = customers === "each" ? ["ada", "zoe", "kim"][number - 1] : "ada";
  return `${name}+\${run.id}@shop.test`;
}

function stepsOf(numbers: readonly number[], traits: Traits, work: readonly Step[]): Step[] {
  const { advance } = traits;
  const turns = traits.turns === "together" ? [numbers] : numbers.map((number) => [number]);
  return [
    ...(advance === "before" ? [{ advance: "31d" }] : []),
    ...turns.flatMap((turn, index) => [
      ...(advance === "between" && index > 0 ? [{ advance: "5d" }] : []),
      ...turnSteps(turn, traits, work),
    ]),
    ...(advance === "after" ? [{ advance: "2d" }] : []),
    ...numbers.map((number) => ({
      name: `Order ${number} is paid`,
      ...lookAt(number, traits, waitingAndPaidWords(traits)[1]),
    })),
  ];
}

/** The customer places some orders and pays them. */
function turnSteps(turn: readonly number[], traits: Traits, work: readonly Step[]): Step[] {
  const looks = (moment: Moment) => turn.flatMap((number) => lookSteps(number, traits, moment));
  const pending = isPendingAfterPress(traits) ? looks("pending") : [];
  return [
    ...turn.flatMap((number) => pressSteps(number, traits)),
    ...turn.flatMap((number) => paySteps(number, traits)),
    ...(pending.length === 0 ? [] : [{ advance: "2s" }, ...pending]),
    { advance: "10s", ...(traits.quiet === "own" ? { quiet: "20ms" } : {}) },
    ...work,
    ...looks("paid"),
  ];
}

/** Returns true if a payment completes only as time passes. `close_page` and `pay_twice` wait until it has. */
function isPendingAfterPress({ checkout, pays }: Traits): boolean {
  return checkout === "whitelabel" || pays === "call";
}

function pressSteps(number: number, traits: Traits): Step[] {
  const page = traits.checkout === "hosted" ? { [`checkout${number}`]: "body.checkout_id" } : {};
  const press = {
    name: `The customer places order ${number}`,
    app: "POST /orders",
    body: { cart: `\${cart${number}}`, email: `\${email${number}}` },
    expect: { status: Number(traits.takes) },
  };
  const wait = { wait_for: "charge", match: { metadata: { cart: `\${cart${number}}` } } };
  return [
    { ...press, save: { [`order${number}`]: "body.order_id", ...page } },
    ...(traits.presses === "again" ? [press] : []),
    ...(traits.takes === "202" ? [wait] : []),
    ...lookSteps(number, traits, "pressed"),
  ];
}

/** The customer pays on the page. Without a page she pays by herself within seconds. */
function paySteps(number: number, { checkout, pays }: Traits): Step[] {
  if (checkout === "whitelabel") return [];
  const checkout_id = `\${checkout${number}}`;
  return pays === "call"
    ? [{ request: `POST /_sandbox/checkouts/${checkout_id}/pay`, body: { payment_method: "card" } }]
    : [{ [pays]: { checkout_id, payment_method: "card" } }];
}

type Moment = "pressed" | "pending" | "paid";

/** Looks at an order at a moment, if the flow does. */
function lookSteps(number: number, traits: Traits, moment: Moment): Step[] {
  if (traits.looks !== moment && traits.looks !== "all") return [];
  return [lookAt(number, traits, waitingAndPaidWords(traits)[moment === "paid" ? 1 : 0])];
}

function lookAt(number: number, { shape, handles }: Traits, status: string): Step {
  const body = shape === "flat" ? { status } : { order: { status } };
  const steady = handles === "queue" ? { steady: "20ms" } : {};
  return { app: `GET /orders/\${order${number}}`, expect: { body }, ...steady };
}
