import { advance } from "./advance.js";
import { app } from "./app.js";
import { cancelThenPay, closePage, payTwice } from "./customer.js";
import { expectBalance } from "./expect-balance.js";
import { expectCharge } from "./expect-charge.js";
import { expectDelivery } from "./expect-delivery.js";
import { expectRequest } from "./expect-request.js";
import { expectSequence } from "./expect-sequence.js";
import { expectWebhook } from "./expect-webhook.js";
import { expectWithdrawal } from "./expect-withdrawal.js";
import { include } from "./include.js";
import { manual } from "./manual.js";
import { OPERATION_STEPS, reset } from "./operation-steps.js";
import { parallel } from "./parallel.js";
import { pay } from "./pay.js";
import { reconcileStep } from "./reconcile.js";
import { repeat } from "./repeat.js";
import { request } from "./request.js";
import { waitFor } from "./wait-for.js";

/** Every kind of step, by the name of its action. */
export const STEPS = {
  request,
  app,
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

/** The word for a step's action. */
export type StepKind = keyof typeof STEPS;
export const STEP_KINDS = Object.keys(STEPS) as StepKind[];
