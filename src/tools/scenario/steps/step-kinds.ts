import { app, manual, run } from "./app.js";
import { cancelThenPay, closePage, pay, payTwice } from "./customer.js";
import { expectBalance } from "./expect-balance.js";
import { expectCharge, expectDelivery, expectWebhook, expectWithdrawal } from "./expect-records.js";
import { expectRequest } from "./expect-request.js";
import { expectSequence } from "./expect-sequence.js";
import { include, parallel, repeat } from "./nested-lists.js";
import { advance, OPERATION_STEPS, reset } from "./operation-steps.js";
import { reconcileStep } from "./reconcile.js";
import { request } from "./request.js";
import { waitFor } from "./wait-for.js";

export const STEPS = {
  request,
  app,
  run,
  pay,
  pay_twice: payTwice,
  cancel_then_pay: cancelThenPay,
  close_page: closePage,
  manual,
  wait_for: waitFor,
  advance,
  expect_charge: expectCharge,
  expect_webhook: expectWebhook,
  expect_delivery: expectDelivery,
  expect_request: expectRequest,
  expect_sequence: expectSequence,
  expect_balance: expectBalance,
  expect_withdrawal: expectWithdrawal,
  reconcile: reconcileStep,
  ...OPERATION_STEPS,
  repeat,
  parallel,
  include,
  reset,
} as const;

export type StepKind = keyof typeof STEPS;
export const STEP_KINDS = Object.keys(STEPS) as StepKind[];
