/** Usual number of digits in a country's account numbers. */
const ACCOUNT_DIGITS: Readonly<Record<string, number>> = { GH: 13, KE: 12, TZ: 13, UG: 13, US: 12, ZA: 11 };

/**
 * Returns an account number at a fictional bank. No country reserves account numbers for examples, so the number may
 * exist at a real bank. Only the name of the bank shows that the account is fictional.
 *
 * A Nigerian number (NUBAN) has nine digits and a check digit. The check digit is computed for the bank code 999,
 * which no bank has.
 * Other numbers end with a Luhn digit (ISO/IEC 7812-1), because check digits outside Nigeria differ by bank.
 */
export function deriveBankAccountNumber(country: string | null, digest: Uint8Array): string {
  if (country === "NG") {
    const serial = decimalDigits(digest, 9);
    return serial + nubanCheckDigit(`999${serial}`);
  }
  const body = decimalDigits(digest, (ACCOUNT_DIGITS[country ?? ""] ?? 10) - 1);
  return body + luhnCheckDigit(body);
}

/** Central Bank of Nigeria, NUBAN, 2010: weights 3, 7, 3 over bank code and serial number. */
function nubanCheckDigit(codeAndSerial: string): string {
  const sum = [...codeAndSerial].reduce(
    (total, digit, i) => total + Number(digit) * (i % 3 === 1 ? 7 : 3),
    0,
  );
  return String((10 - (sum % 10)) % 10);
}

function luhnCheckDigit(body: string): string {
  const sum = [...body].reverse().reduce((total, digit, i) => {
    const weighted = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

/** Area codes that reserve 555-0100 to 555-0199 for fiction. Toll-free codes reserve only one number. */
const US_AREA_CODES = ["202", "212", "303", "312", "404", "512", "617", "702"] as const;

/** Number of digits in a national number without the trunk prefix 0, by dialling code. Default: nine. */
const NATIONAL_DIGITS: Readonly<Record<string, number>> = { "+234": 10 };

/** Dialling code that no country has, for rails without a country. */
const NO_COUNTRY = "+999";

/**
 * Returns the number a customer pays to: E.164, of the country's usual length, assigned to no subscriber.
 *
 * North America reserves 555-0100 to 555-0199 for fiction. African countries reserve nothing, so all other national
 * numbers begin with 000: no operator can assign them, because 0 is the trunk prefix. Libraries for phone numbers call
 * them possible but not valid.
 */
export function deriveMerchantPhoneNumber(diallingCode: string | undefined, digest: Uint8Array): string {
  const code = diallingCode ?? NO_COUNTRY;
  if (code === "+1") {
    const area = US_AREA_CODES[digest[0]! % US_AREA_CODES.length]!;
    return `+1${area}55501${decimalDigits(digest.subarray(1), 2)}`;
  }
  return `${code}000${decimalDigits(digest, (NATIONAL_DIGITS[code] ?? 9) - 3)}`;
}

/** Derives up to 13 evenly distributed decimal digits from the first 8 bytes. */
function decimalDigits(bytes: Uint8Array, count: number): string {
  const end = 10 ** count;
  let value = 0;
  for (let i = 0; i < 8; i++) value = (value * 256 + bytes[i]!) % end;
  return String(value).padStart(count, "0");
}
