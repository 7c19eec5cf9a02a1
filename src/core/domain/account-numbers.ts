/** Digits of an account number as banks of the country commonly have them. */
const ACCOUNT_DIGITS: Readonly<Record<string, number>> = { GH: 13, KE: 12, TZ: 13, UG: 13, US: 12, ZA: 11 };

/**
 * An account number at a bank that does not exist. What keeps money away is the fictional bank: an account
 * number leads nowhere without a bank to go with it, and no country sets numbers aside for examples.
 *
 * Nigeria has one scheme for all banks, NUBAN: nine digits and a check digit that covers the bank's code too.
 * The code used here, 999, is not in the Central Bank's list. Elsewhere check digits differ from bank to bank,
 * so this bank has its own rule: the last digit makes the whole number pass Luhn's test (ISO/IEC 7812-1).
 */
export function bankAccountNumber(country: string | null, digest: Uint8Array): string {
  if (country === "NG") {
    const serial = decimalDigits(digest, 9);
    return serial + nubanCheckDigit(`999${serial}`);
  }
  const body = decimalDigits(digest, (ACCOUNT_DIGITS[country ?? ""] ?? 10) - 1);
  return body + luhnCheckDigit(body);
}

/** Central Bank of Nigeria, NUBAN scheme of 2010: weights 3, 7, 3 over the bank's code and the serial number. */
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

/** Area codes in which 555-0100 to 555-0199 can be used; the toll-free ones keep only one number for fiction. */
const US_AREA_CODES = ["202", "212", "303", "312", "404", "512", "617", "702"] as const;

/** Length of a national number, without the trunk prefix 0, where it is not nine digits. */
const NATIONAL_DIGITS: Readonly<Record<string, number>> = { "+234": 10 };

/** No country has the code 999, so a number under it reaches nobody; it is for rails without a country. */
const NO_COUNTRY = "+999";

/**
 * The number a customer is told to pay to: E.164, of the country's usual length, and nobody's.
 *
 * Only few countries set numbers aside for fiction. North America does: 555-0100 to 555-0199 in every area.
 * The countries of the default fixtures in Africa do not, and a free range of today may be given out tomorrow.
 * There the national number begins with 000: 0 is the trunk prefix, dialled before a national number and
 * never part of it, so no operator can be given such a range. The price is that a library which knows the
 * numbering plans calls the number possible but not valid, as it should.
 */
export function merchantPhoneNumber(diallingCode: string | undefined, digest: Uint8Array): string {
  const code = diallingCode ?? NO_COUNTRY;
  if (code === "+1") {
    const area = US_AREA_CODES[digest[0]! % US_AREA_CODES.length]!;
    return `+1${area}55501${decimalDigits(digest.subarray(1), 2)}`;
  }
  return `${code}000${decimalDigits(digest, (NATIONAL_DIGITS[code] ?? 9) - 3)}`;
}

/** So many decimal digits (at most 13) out of the first 8 bytes, each practically as likely. */
function decimalDigits(bytes: Uint8Array, count: number): string {
  const end = 10 ** count;
  let value = 0;
  for (let place = 0; place < 8; place++) value = (value * 256 + bytes[place]!) % end;
  return String(value).padStart(count, "0");
}
