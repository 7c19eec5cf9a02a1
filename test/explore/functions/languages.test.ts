import { describe, expect, it } from "vitest";
import { openSandbox } from "../../support/api-client.js";
import { flowOf, openFunctionShop } from "./shop.js";

type Word = string | number;
/** The statuses of an order that waits, is being paid, is paid, has failed, has expired, is refunded. */
type Words = readonly [Word, Word, Word, Word, Word, Word];

const ENGLISH: Words = ["pending", "processing", "paid", "declined", "expired", "refunded"];
const LANGUAGES: Readonly<Record<string, Words>> = {
  German: ["offen", "in Prüfung", "bezahlt", "abgelehnt", "abgelaufen", "erstattet"],
  Portuguese: ["aguardando", "aguardando", "pago", "recusado", "vencido", "estornado"],
  Japanese: ["入金待ち", "入金待ち", "入金済み", "失敗", "期限切れ", "返金済み"],
  codes: ["ST01", "ST02", "ST03", "ST04", "ST05", "ST07"],
  numbers: [0, 1, 2, 3, 4, 6],
};

/** Faults of a shop, and the deviation that shows each. */
const FAULTS = {
  "delivers for each copy": "webhook_twice at charge.completed#1",
  "delivers for a payment that failed": "declined at charge#1",
  "delivers for one that expired": "expired_unpaid at charge#1",
  "forgets late money": "paid_late at charge#1",
  "waits again after a refund": "refunded at charge#1",
  "takes half a refund for the whole": "partly_refunded at charge#1",
} as const;
type Fault = keyof typeof FAULTS;

interface Sale {
  status: Word;
  sent: number;
  /** Number of changes. */
  writes: number;
  /** Length of the charge's history when the shop last heard of it. */
  known: number;
}

async function explored(words: Words, view: (sale: Sale) => unknown, fault?: Fault, only?: string) {
  const sandbox = await openSandbox({ clock: "manual", rateLimit: "off" });
  const shop = await openFunctionShop(sandbox);
  const [waiting, processing, paid, failed, expired, refunded] = words;
  const statuses: Readonly<Record<string, Word>> = {
    PROCESSING: processing,
    COMPLETED: paid,
    FAILED: failed,
    EXPIRED: expired,
    REFUNDED: fault === "waits again after a refund" ? waiting : refunded,
  };
  const sales = new Map<string, Sale>();
  const saleOf = (id: string): Sale => {
    const sale = sales.get(id) ?? { status: waiting, sent: 0, writes: 0, known: 0 };
    sales.set(id, sale);
    return sale;
  };
  await sandbox.onWebhook(async (request) => {
    const { type, data } = JSON.parse(await request.text());
    const sale = saleOf(data.metadata.order_id);
    if (fault === "forgets late money" && sale.status === expired) return;
    if (type.includes("partially_refunded") && fault === "takes half a refund for the whole")
      sale.status = refunded;
    const isNew = data.status_history.length > sale.known;
    const delivers =
      data.status === "COMPLETED" ||
      (data.status === "FAILED" && fault === "delivers for a payment that failed") ||
      (data.status === "EXPIRED" && fault === "delivers for one that expired");
    if (fault === "delivers for each copy" && delivers && !type.includes("refunded")) sale.sent++;
    else if (isNew && delivers) sale.sent = 1;
    if (!isNew) return;
    sale.known = data.status_history.length;
    sale.writes++;
    sale.status = (delivers ? paid : statuses[data.status]) ?? sale.status;
  });
  const see = { order: ({ id }: { readonly id: string }) => view(saleOf(id)) };
  return sandbox.explore(flowOf(shop, { see }), { throws: false, ...(only === undefined ? {} : { only }) });
}

describe.each(Object.entries(LANGUAGES))("a shop whose statuses are %s", (language, words) => {
  it.each([
    ["its status", ({ status }: Sale) => ({ status })],
    ["what it sent too", ({ status, sent }: Sale) => ({ status, sent })],
  ])("is silent if it is right, and shows %s", async (_, view) => {
    expect(await explored(words, view)).toMatchObject({ findings: [], passed: true });
  });

  // Numbers alone may count changes, and refunds.
  const unsure = language === "numbers" ? /expired|refund/ : undefined;
  const known = Object.entries(FAULTS).filter(([fault]) => !unsure?.test(fault));
  it.each(known as [Fault, string][])("is found if it %s", async (fault, only) => {
    const { findings } = await explored(words, ({ status, sent }) => ({ status, sent }), fault, only);
    expect(findings).toHaveLength(1);
  });

  it("is found by its status alone if it delivers for a payment that failed", async () => {
    const fault = "delivers for a payment that failed";
    const { findings } = await explored(words, ({ status }) => ({ status }), fault, FAULTS[fault]);
    expect(findings).toHaveLength(1);
  });
});

it.each<[string, (writes: number) => object]>([
  ["a number from 0", (writes) => ({ revision: writes })],
  ["a number in a list", (writes) => ({ rows: [{ sku: "lamp", meta: { updated_count: writes } }] })],
  ["a text", (writes) => ({ revision: `r${writes}` })],
  ["a number in a text", (writes) => ({ etag: `W/"1.0.${writes}"` })],
])(
  "a shop that counts its changes as %s is silent if it is right, and found if it delivers twice",
  async (_, count) => {
    const view = ({ status, sent, writes }: Sale) => ({ status, sent, ...count(writes) });
    expect(await explored(ENGLISH, view)).toMatchObject({ findings: [], passed: true });
    const fault = "delivers for each copy";
    const { findings } = await explored(ENGLISH, view, fault, FAULTS[fault]);
    expect(findings).toHaveLength(1);
  },
);

it("a shop that shows nothing of an unpaid order is found if it forgets late money", async () => {
  const fault = "forgets late money";
  const view = ({ sent }: Sale) => (sent === 0 ? null : { sent });
  const { findings } = await explored(ENGLISH, view, fault, FAULTS[fault]);
  expect(findings).toHaveLength(1);
});
