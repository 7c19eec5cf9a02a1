import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  deriveBankAccountNumber,
  deriveMerchantPhoneNumber,
  deriveWalletAddress,
} from "../../src/core/domain/fictional-accounts.js";
import { type InstructionsInput, METHOD_KINDS } from "../../src/core/domain/method-kinds.js";

const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
const sha256 = (text: string) => createHash("sha256").update(text).digest();

type Asked = InstructionsInput & { readonly kind: keyof typeof METHOD_KINDS };
const paymentInstructions = ({ kind, ...input }: Asked) => METHOD_KINDS[kind].createInstructions(input);

const BASE: Asked = {
  kind: "bank_transfer",
  rail: { institution: "Sandbox Bank of Lagos", display_name: "NIP transfer", country: "NG" },
  currency: { code: "NGN", name: "Nigerian naira" },
  amount: "15732.50",
  reference: "REF-8731",
  merchantName: "Sandbox Shop",
  walletAddress: null,
  phoneNumber: "+2348031234567",
  diallingCode: "+234",
  digest: sha256("a charge"),
};
const USDT = { code: "USDT_TRC20", asset: "USDT", network: "TRC20", name: "Tether on Tron" };

const FIELDS = {
  bank_transfer: ["type", "bank_name", "account_number", "account_name", "reference", "instructions"],
  mobile_money: ["type", "provider", "phone_number", "reference", "instructions"],
  crypto: ["type", "network", "wallet_address", "amount", "currency", "reference", "instructions"],
  card: ["type", "reference", "instructions"],
} as const;
const KINDS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

const ofKind = (kind: Asked["kind"], digest = BASE.digest): Asked => ({
  ...BASE,
  kind,
  digest,
  ...(kind === "crypto" ? { currency: USDT } : {}),
});

it.each(KINDS)("instructions for %s have exactly the documented fields, all strings [R7.1]", (kind) => {
  fc.assert(
    fc.property(digests, (digest) => {
      const instructions = paymentInstructions(ofKind(kind, digest));
      expect(Object.keys(instructions)).toEqual(FIELDS[kind]);
      expect(instructions.type).toBe(kind);
      for (const value of Object.values(instructions)) expect(value).toEqual(expect.stringMatching(/./));
      expect(paymentInstructions(ofKind(kind, digest))).toEqual(instructions);
    }),
  );
});

it.each(KINDS)(
  "instructions for %s show the amount, account, reference and a sandbox notice [R1.10 R6.6 R22.25]",
  (kind) => {
    const made = paymentInstructions(ofKind(kind));
    const named = [made.account_number, made.bank_name, made.account_name, made.phone_number, made.provider]
      .concat(made.wallet_address, made.network)
      .filter((value) => value !== undefined);
    for (const part of [BASE.amount, kind === "crypto" ? "USDT" : "NGN", BASE.reference, ...named])
      expect(made.instructions).toContain(part);
    expect(made.instructions).toMatch(/sandbox: no real money/);
  },
);

it("instructions name the merchant and the fictional bank", () => {
  expect(paymentInstructions(BASE)).toMatchObject({
    bank_name: "Sandbox Bank of Lagos",
    account_name: "Sandbox Shop (sandbox)",
    reference: "REF-8731",
  });
});

it("instructions name the payment rail when it has no institution", () => {
  const rail = { display_name: "SimPaga", country: "NG" };
  expect(paymentInstructions({ ...ofKind("mobile_money"), rail }).provider).toBe("SimPaga");
  expect(paymentInstructions({ ...BASE, rail: null }).bank_name).toBe("Sandbox Bank");
  expect(paymentInstructions({ ...ofKind("mobile_money"), rail: null }).provider).toBe(
    "Sandbox Mobile Money",
  );
});

it("instructions contain the customer's phone number if known", () => {
  const known = paymentInstructions(ofKind("mobile_money"));
  expect(known.instructions).toContain(" from +2348031234567 with ");
  const unknown = paymentInstructions({ ...ofKind("mobile_money"), phoneNumber: null });
  expect(unknown.instructions).not.toContain(" from ");
  expect(unknown.phone_number).toBe(known.phone_number);
});

it("instructions contain the quote's wallet, or else one of the charge's network", () => {
  const quoted = paymentInstructions({ ...ofKind("crypto"), walletAddress: "Tquoted" });
  expect(quoted).toMatchObject({ wallet_address: "Tquoted", network: "TRC20", currency: "USDT" });
  expect(quoted.instructions).toContain("Tquoted");
  const own = paymentInstructions(ofKind("crypto"));
  expect(own.wallet_address).toBe(deriveWalletAddress("TRC20", BASE.digest));
});

it("instructions contain the currency's code when it has no asset or network", () => {
  const made = paymentInstructions({ ...ofKind("crypto"), currency: { code: "DOGE", name: "Dogecoin" } });
  expect(made).toMatchObject({ network: "DOGE", currency: "DOGE" });
});

/** Digit weights for Nigerian account numbers. */
const NUBAN_FACTORS = [3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3];

function nubanDigit(bank: string, serial: string): number {
  const sum = [...(bank + serial)].reduce(
    (all, digit, place) => all + Number(digit) * NUBAN_FACTORS[place]!,
    0,
  );
  return sum % 10 === 0 ? 0 : 10 - (sum % 10);
}

/** Runs the Luhn check. */
function passesLuhn(number: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  let sum = 0;
  for (let place = 1; place <= number.length; place++) {
    const digit = Number(number[number.length - place]);
    sum += place % 2 === 0 ? doubled[digit]! : digit;
  }
  return sum % 10 === 0;
}

it("account number checks accept published examples", () => {
  expect(nubanDigit("011", "000001457")).toBe(9);
  expect(nubanDigit("011", "000000022")).toBe(0);
  expect(passesLuhn("79927398713")).toBe(true);
  expect(passesLuhn("79927398710")).toBe(false);
});

it("a Nigerian account number is a valid NUBAN of bank 999", () => {
  fc.assert(
    fc.property(digests, (digest) => {
      const account = deriveBankAccountNumber("NG", digest);
      expect(account).toMatch(/^\d{10}$/);
      expect(Number(account[9])).toBe(nubanDigit("999", account.slice(0, 9)));
    }),
  );
});

it.each([
  ["US", 12],
  ["GH", 13],
  ["KE", 12],
  ["TZ", 13],
  ["UG", 13],
  ["ZA", 11],
  ["XX", 10],
  [null, 10],
])("an account number in %s has %i digits and passes the Luhn check", (country, length) => {
  fc.assert(
    fc.property(digests, (digest) => {
      const account = deriveBankAccountNumber(country, digest);
      expect(account).toMatch(new RegExp(`^\\d{${length}}$`));
      expect(passesLuhn(account)).toBe(true);
    }),
  );
});

it.each([
  ["+234", /^\+234000\d{7}$/],
  ["+233", /^\+233000\d{6}$/],
  ["+254", /^\+254000\d{6}$/],
  ["+255", /^\+255000\d{6}$/],
  ["+256", /^\+256000\d{6}$/],
  ["+27", /^\+27000\d{6}$/],
  ["+1", /^\+1[2-79]\d{2}55501\d{2}$/],
  [undefined, /^\+999000\d{6}$/],
])("a phone number of %s is valid E.164 and never assigned", (code, pattern) => {
  fc.assert(
    fc.property(digests, (digest) => {
      const number = deriveMerchantPhoneNumber(code, digest);
      expect(number).toMatch(/^\+[1-9]\d{6,14}$/);
      expect(number).toMatch(pattern);
      expect(deriveMerchantPhoneNumber(code, digest)).toBe(number);
    }),
  );
});

it("a phone number is valid E.164 for every dialling code", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999 }), digests, (code, digest) => {
      expect(deriveMerchantPhoneNumber(`+${code}`, digest)).toMatch(/^\+[1-9]\d{6,14}$/);
    }),
  );
});

it.each([
  ["an account in Nigeria", 200, (digest: Uint8Array) => deriveBankAccountNumber("NG", digest)],
  ["an account in Ghana", 200, (digest: Uint8Array) => deriveBankAccountNumber("GH", digest)],
  ["an account in no country", 200, (digest: Uint8Array) => deriveBankAccountNumber(null, digest)],
  ["a phone number", 50, (digest: Uint8Array) => deriveMerchantPhoneNumber("+254", digest)],
])("two charges have a different %s", (_name, count, numberOf) => {
  const numbers = Array.from({ length: count }, (_, n) => numberOf(sha256(`charge ${n}`)));
  expect(new Set(numbers).size).toBe(count);
});
