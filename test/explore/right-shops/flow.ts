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
  const paid = (number: number) => [...paySteps(number, traits), ...learnSteps(traits, work)];
  const looked = (number: number) => lookSteps(number, traits, "paid");
  const between = advance === "between" ? [{ advance: "5d" }] : [];
  const orders =
    traits.turns === "together"
      ? [
          ...numbers.flatMap((number) => pressSteps(number, traits)),
          ...numbers.flatMap((number) => paySteps(number, traits)),
          ...learnSteps(traits, work),
          ...numbers.flatMap(looked),
        ]
      : numbers.flatMap((number) => [
          ...(number === 1 ? [] : between),
          ...pressSteps(number, traits),
          ...paid(number),
          ...looked(number),
        ]);
  return [
    ...(advance === "before" ? [{ advance: "31d" }] : []),
    ...orders,
    ...(advance === "after" ? [{ advance: "2d" }] : []),
    ...numbers.map((number) => ({
      name: `Order ${number} is paid`,
      ...lookAt(number, traits, waitingAndPaidWords(traits)[1]),
    })),
  ];
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

/** The customer pays: on the page, or by herself within seconds. */
function paySteps(number: number, traits: Traits): Step[] {
  if (traits.checkout === "whitelabel") return lookSteps(number, traits, "pending", [{ advance: "2s" }]);
  const choice = { checkout_id: `\${checkout${number}}`, payment_method: "card" };
  if (traits.pays === "call") {
    const pay = {
      request: `POST /_sandbox/checkouts/\${checkout${number}}/pay`,
      body: { payment_method: "card" },
    };
    return [pay, ...lookSteps(number, traits, "pending", [{ advance: "2s" }])];
  }
  return [{ [traits.pays]: choice }];
}

/** The shop hears of the payment. */
function learnSteps({ quiet }: Traits, work: readonly Step[]): Step[] {
  return [{ advance: "10s", ...(quiet === "own" ? { quiet: "20ms" } : {}) }, ...work];
}

/** Looks at an order at a moment, if the flow does, after steps that lead there. */
function lookSteps(
  number: number,
  traits: Traits,
  moment: "pressed" | "pending" | "paid",
  before: readonly Step[] = [],
): Step[] {
  if (traits.looks !== moment && traits.looks !== "all") return [];
  const word = waitingAndPaidWords(traits)[moment === "paid" ? 1 : 0];
  return [...before, lookAt(number, traits, word)];
}

function lookAt(number: number, { shape, handles }: Traits, status: string): Step {
  const body = shape === "flat" ? { status } : { order: { status } };
  const steady = handles === "queue" ? { steady: "20ms" } : {};
  return { app: `GET /orders/\${order${number}}`, expect: { body }, ...steady };
}
