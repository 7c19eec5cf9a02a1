/** Documented values, copied by hand and independent of src. */
export const DECIMALS: Readonly<Record<string, number>> = {
  USD: 2,
  NGN: 2,
  GHS: 2,
  KES: 2,
  TZS: 2,
  UGX: 2,
  ZAR: 2,
  USDT_TRC20: 6,
  USDT_ERC20: 6,
  BTC: 8,
  ETH: 8,
};

export const RATES: Readonly<Record<string, string>> = {
  USD: "1",
  NGN: "1550",
  GHS: "12.4",
  KES: "129",
  TZS: "2600",
  UGX: "3650",
  ZAR: "17.8",
  USDT_TRC20: "1",
  USDT_ERC20: "1",
  BTC: "0.000015625",
  ETH: "0.00032",
};

export const METHOD_CURRENCIES: Readonly<Record<string, readonly string[]>> = {
  bank_transfer: ["USD", "NGN", "GHS", "KES", "ZAR"],
  mobile_money: ["NGN", "GHS", "KES", "TZS", "UGX"],
  card: ["USD", "NGN", "GHS", "KES", "ZAR"],
  crypto: ["USDT_TRC20", "USDT_ERC20", "BTC", "ETH"],
};

/** Platform and gateway fees in percent. */
export const FEES: Readonly<Record<string, readonly [string, string]>> = {
  bank_transfer: ["1.0", "0.5"],
  mobile_money: ["1.0", "1.5"],
  card: ["1.0", "2.4"],
  crypto: ["0.5", "0.5"],
};

/** Delay from COMPLETED until the amount is available. */
export const SETTLEMENT_MS: Readonly<Record<string, number>> = {
  BTC: 2 * 600_000,
  ETH: 12 * 12_000,
  USDT_ERC20: 12 * 12_000,
  USDT_TRC20: 20 * 3_000,
};

/** Minimum amount of a withdrawal; other currencies allow none. */
export const MINIMUM: Readonly<Record<string, string>> = {
  USD: "10.00",
  NGN: "5000.00",
  GHS: "50.00",
  KES: "500.00",
  USDT_TRC20: "10.000000",
  USDT_ERC20: "50.000000",
};

/** Legal transitions; other statuses are final. */
export const CHARGE_MOVES: Readonly<Record<string, readonly string[]>> = {
  PENDING: ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
  AWAITING_PAYMENT: ["PROCESSING", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED"],
  PROCESSING: ["COMPLETED", "FAILED"],
  EXPIRED: ["PROCESSING", "COMPLETED"],
  COMPLETED: ["REFUNDED"],
};

export const WITHDRAWAL_MOVES: Readonly<Record<string, readonly string[]>> = {
  PENDING: ["PROCESSING", "CANCELLED"],
  PROCESSING: ["COMPLETED", "FAILED"],
};
