/** What things are called that are nobody's business. */
const SECRET_NAME =
  /^(card[_-]?(no|num|number|pan|cvv|cvc|pin|expiry)|pan|cvv2?|cvc2?|cvv[_-]?code|security[_-]?code|pin([_-]?code)?|pass(word|wd|phrase|code)|(client[_-]?)?secret|(api|secret|private)[_-]?key|ssn|bvn|access[_-]?token)$/i;

const CAMEL_CASE = /[a-z][A-Z]/;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(CAMEL_CASE.test(name) ? name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_") : name);
}

/** Visa, Mastercard, American Express, Discover, Verve: the digits cards begin with, and how many they have. */
const CARDS =
  /^(4\d{12}(\d{3}){0,2}|(5[1-5]\d\d|22[2-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|6(011|5\d\d|4[4-9]\d)\d{12}|506\d{13}(\d{3})?)$/;

/** The digits of a card, and so many with blanks or dashes among them. */
const SHORTEST = 13;
const LONGEST = 32;

/** Whether a text is the number of a card, with blanks or dashes in it or without. */
export function holdsCardNumber(value: unknown): boolean {
  if (typeof value !== "string" || value.length < SHORTEST || value.length > LONGEST) return false;
  const digits = value.replaceAll(/[ -]/g, "");
  return CARDS.test(digits) && isLuhn(digits);
}

/** The check digit of card numbers is right. */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (const [place, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
