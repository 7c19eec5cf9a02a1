// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files are full of them
import { describe, expect, it } from "vitest";
import { schemaDescriptionOf } from "../../src/core/schema/descriptions.js";
import type { StartOptions } from "../../src/core/schema/option-table.js";
import { RESPONSE_SCHEMAS } from "../../src/core/schema/responses/by-operation.js";
import { configFaults, readVocabulary } from "../../src/library/options.js";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { cases, fileWith } from "../support/scenario-run.js";

const _SHARED_STEPS_ADVICE =
  "a step that recurs takes a YAML anchor (&name, *name), steps of several files a file to include";

/** Messages about a file: `✗` a fault, `→` a warning, each as line:column, field and message. */
async function messages(text: string, options: StartOptions = {}): Promise<string[]> {
  const vocabulary = await readVocabulary(options);
  const file = fileWith(`name: x\n${text}\n`);
  const { faults, warnings } = await validateFile(file, { environment: {}, configFaults, vocabulary });
  const line = (mark: string, { line, column, field, message }: (typeof faults)[number]) =>
    `${mark} ${line}:${column} ${field}: ${message}`;
  return [...faults.map((fault) => line("✗", fault)), ...warnings.map((warning) => line("→", warning))];
}

/** A step alone, which begins with a dash, is the only one of a file. */
const inFile = (text: string) => (text.startsWith("- ") ? `steps:\n  ${text}` : text);

describe("each fault is reported in one line, with its place and a remedy", () => {
  it.each([
    // Variables.
    ...cases(`
vars: { email: a }
charges: [{ match: { customer_email: '\${emial}' }, timeline: [] }]
✗ 3:22 charges.0.match.customer_email: unknown variable emial; did you mean email?
charges: [{ match: { customer_email: '\${x}' }, timeline: [] }]
✗ 2:22 charges.0.match.customer_email: unknown variable x; known: run.id
vars: { a: '\${b}', b: '\${c}', c: '\${a}' }
✗ 2:31 vars.c: \${a} refers to itself
vars: { a: '\${a}' }
✗ 2:9 vars.a: \${a} refers to itself
vars: { a: '\${env.NOPE_NOPE}' }
✗ 2:9 vars.a: the environment has no NOPE_NOPE; a default is written \${env.NOPE_NOPE:-default}
vars: { a: { b: 1 }, c: '\${a.d}' }
✗ 2:22 vars.c: \${a} has no d
vars: { a: '\${b:-1}', b: 2 }
✗ 2:9 vars.a: only a variable of the environment takes a default: \${env.b:-1}
vars: { a: 'x \${ y' }
✗ 2:9 vars.a: \${ y is not a variable: write \${name}
vars: { a: '\${}' }
✗ 2:9 vars.a: \${} is not a variable: write \${name}
vars: { 'a b': 1 }
✗ 2:9 vars.a b: must be a name of letters, digits, dashes and underscores
`),
    // Steps and rules.
    ...cases(`
- reqest: GET /x
✗ 3:5 steps.0.reqest: unknown field; did you mean request?
- name: nothing
✗ 3:5 steps.0: a step needs an action: one of request, app, pay, 
steps:
  - request: GET /a
    app: GET /b
✗ 4:5 steps.0.app: a step has one action, and this one has request already: begin another with -
- request: /a
✗ 3:5 steps.0.request: must be a method and a path, such as POST /api/v1/payments/quotes
- advance: 5
✗ 3:5 steps.0.advance: must be a duration such as 10m, an ISO instant, next or idle
- advance: soon
✗ 3:5 steps.0.advance: must be a duration such as 10m, an ISO instant, next or idle
- { advance: 1s, expect: {} }
✗ 3:20 steps.0.expect: unknown field; known: name, advance, quiet, retry, save
- { advance: 1s, naem: x }
✗ 3:20 steps.0.naem: unknown field; did you mean name?
- wait_for: chrage
✗ 3:5 steps.0.wait_for: must be one of charge, request, delivery, idle; did you mean charge?
- wait_for: charges
✗ 3:5 steps.0.wait_for: must be one of charge, request, delivery, idle; did you mean charge?
- { wait_for: idle, match: {} }
✗ 3:23 steps.0.match: unknown field; known: name, wait_for, within
- { wait_for: charge, match: { stauts: x } }
✗ 3:34 steps.0.match.stauts: unknown field; did you mean status?
- { wait_for: charge, within: 5 }
✗ 3:25 steps.0.within: must be a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m
- expect_charge: { status: FALED }
✗ 3:22 steps.0.expect_charge.status: must be one of PENDING, AWAITING_PAYMENT, PROCESSING, COMPLETED, FAILED, CANCELLED, EXPIRED, REFUNDED; did you mean FAILED?
- expect_charge: { count: -1 }
✗ 3:22 steps.0.expect_charge.count: must not be negative
- expect_webhook: { typ: x }
✗ 3:23 steps.0.expect_webhook.typ: unknown field; did you mean type?
- expect_delivery: { answered: 3zz }
✗ 3:24 steps.0.expect_delivery.answered: must be a status such as 200 or 2xx
- expect_balance: { currency: KES }
✗ 3:5 steps.0.expect_balance: needs available_balance, pending_balance or change
- expect_balance: { currency: KES, change: lots }
✗ 3:38 steps.0.expect_balance.change: must be a signed decimal string such as "+500.00"
- expect_balance: { currency: KES, change: +500.00 }
✗ 3:38 steps.0.expect_balance.change: must be a signed decimal string in quotes, such as "+500.00"
- expect_balance: { currency: KES, available_balance: 5 }
✗ 3:38 steps.0.expect_balance.available_balance: is text: put the value in quotes
- reconcile: { app: GET /orders, map: { stauts: state } }
✗ 3:43 steps.0.reconcile.map.stauts: must be one of charge_id, status, amount, currency, delivered and metadata.KEY
- reconcile: { map: {} }
✗ 3:5 steps.0.reconcile.app: is required
- expect_charge: { amount: 512.50 }
✗ 3:22 steps.0.expect_charge.amount: is text: put the value in quotes
- { app: GET /x, headers: { a: 1.5 } }
✗ 3:31 steps.0.headers.a: must be a string: put it in quotes
- { request: GET /x, expect: { status: [200, 201] } }
✗ 3:34 steps.0.expect.status: must be a status such as 200 or 2xx
- advance: 9000000d
✗ 3:5 steps.0.advance: is too long: a duration is at most 3660000d, which is 10,000 years
- advance: 2026-02-30T00:00:00Z
✗ 3:5 steps.0.advance: is not an existing date or time
- advance: 2026-03-01T00:00:00
✗ 3:5 steps.0.advance: needs a time zone: append Z for UTC
- transition: { to: FAILED }
✗ 3:5 steps.0.transition: needs either charge_id or withdrawal_id
- transition: { charge_id: x, to: DONE }
✗ 3:33 steps.0.transition.to: must be one of PENDING, AWAITING_PAYMENT, PROCESSING, COMPLETED, FAILED, CANCELLED, EXPIRED, REFUNDED
- trigger: { type: Bad! }
✗ 3:16 steps.0.trigger.type: must be an event type such as charge.completed
- fault: { times: 1 }
✗ 3:5 steps.0.fault: needs respond, delay, delay_answer, hold, stale or drop
- fault: { drop: befor }
✗ 3:14 steps.0.fault.drop: must be one of before, after, hang; did you mean before?
- { request: GET /x, save: { q: 'a..b' } }
✗ 3:32 steps.0.save.q: must be a path in the result, such as body.quote_id or charge_id
- { request: GET /x, expect: { dropped: true, status: 200 } }
✗ 3:24 steps.0.expect: dropped expects no response, so nothing else can be expected with it
- { request: GET /x, headers: { a: 1 } }
✗ 3:35 steps.0.headers.a: must be a string: put it in quotes
- 5
✗ 3:5 steps.0: must be a step: an action, a colon and what it takes, such as advance: 10s
webhooks: [{ copies: 0 }]
✗ 2:14 webhooks.0.copies: must be at least 1
webhooks: [{ copies: 1000000 }]
✗ 2:14 webhooks.0.copies: must be at most 100
faults: [{ drop: after, probability: 2 }]
✗ 2:25 faults.0.probability: must be at most 1
faults: [{ drop: after, times: 0 }]
✗ 2:25 faults.0.times: must be at least 1
charges: [{ timeline: [{ after: 1s, after_expiry: 1s, to: FAILED }] }]
✗ 2:37 charges.0.timeline.0.after_expiry: does not go with after: leave one of them out
charges: [{ timeline: [{ after: 99999999999d, to: FAILED }] }]
✗ 2:26 charges.0.timeline.0.after: is too long: a duration is at most 3660000d, which is 10,000 years
`),
    // Names that nothing has.
    ...cases(`
faults: [{ match: { operation: [createQuote, createQoute] }, drop: after }]
→ 2:46 faults.0.match.operation.1: there is no operation createQoute; did you mean createQuote?
faults: [{ match: { method: get }, drop: after }]
→ 2:21 faults.0.match.method: there is no HTTP method get; did you mean GET?
faults: [{ match: { path: /api/v1/payment/quotes }, drop: after }]
→ 2:21 faults.0.match.path: there is nothing at /api/v1/payment/quotes; did you mean /api/v1/payments/quotes?
webhooks: [{ match: { type: charge.complete }, drop: true }]
→ 2:23 webhooks.0.match.type: is an unknown event type; did you mean charge.completed? Known:
charges: [{ match: { currency: Kes }, timeline: [] }]
→ 2:22 charges.0.match.currency: there is no currency Kes; did you mean KES?
charges: [{ match: { payment_method: mobile-money }, timeline: [] }]
→ 2:22 charges.0.match.payment_method: there is no payment method mobile-money; did you mean mobile_money?
withdrawals: [{ match: { currency: usd }, timeline: [] }]
→ 2:26 withdrawals.0.match.currency: there is no currency usd; did you mean USD?
- expect_webhook: { type: charge.faild, count: 0 }
✗ expect_webhook.type: is an unknown event type; did
- expect_delivery: { type: charge.faild, count: 0 }
✗ expect_delivery.type: is an unknown event type; did
- expect_request: { operation: createWhitelable, count: 0 }
✗ operation: there is no operation createWhitelable; did you mean createWhitelabel?
- expect_request: { path: /api/v1/payments/quote, count: 0 }
→ did you mean /api/v1/payments/quotes?
- expect_charge: { currency: Kes, count: 0 }
→ currency: there is no currency Kes; did you mean KES?
- expect_charge: { status: COMPLETD*, count: 0 }
✗ status: must be one of PENDING,
- expect_balance: { currency: KSE, change: '0' }
→ there is no currency KSE; did you mean KES?
- { wait_for: delivery, match: { type: charge.faild } }
→ match.type: is an unknown event type
- { wait_for: charge, match: { payment_method: cards } }
→ there is no payment method cards; did you
- trigger: { type: charge.complete }
→ trigger.type: is an unknown event type; did you mean charge.completed?
- fault: { match: { operation: createQoute }, drop: after }
→ fault.match.operation: there is no operation createQoute
- { request: GET /api/v1/payments/charge/ch_1, expect: { status: 4xx } }
→ request: there is nothing at /api/v1/payments/charge/ch_1; did you mean /api/v1/payments/charges/ch_1?
- { request: GET /api/v1/payments/quotes, save: { q: bdy.id } }
→ save.q: there is no bdy to save; did you mean body?
- { expect_charge: {}, save: { c: charge } }
→ save.c: there is no charge to save; did you mean charge_id?
- { wait_for: charge, save: { c: chargeid } }
→ save.c: there is no chargeid to save; did you mean charge_id?
`),
    // Fields that nothing has.
    ...cases(`
- expect_charge: { fees: { totl_fee: '1.00' } }
→ 3:30 steps.0.expect_charge.fees.totl_fee: unknown field; did you mean total_fee?
- expect_charge: { fees: { not: { fee_breakdown: { gatway_fee: '*' } } }, count: 0 }
→ 3:54 steps.0.expect_charge.fees.not.fee_breakdown.gatway_fee: unknown field; did you mean gateway_fee?
- expect_charge: { status_history: { contains: { staus: EXPIRED } } }
→ 3:52 steps.0.expect_charge.status_history.contains.staus: unknown field; did you mean status?
- expect_charge: { sandbox: { scenari: declined } }
→ 3:33 steps.0.expect_charge.sandbox.scenari: unknown field; did you mean scenario?
- expect_webhook: { type: charge.failed, data: { reson: x }, count: 0 }
→ steps.0.expect_webhook.data.reson: unknown field; known: charge_id,
- expect_webhook: { type: withdrawal.*, data: { charge_id: x } }
→ steps.0.expect_webhook.data.charge_id: unknown field; known: withdrawal_id
- expect_webhook: { data: { status: COMPLETD }, count: 0 }
✗ data.status: must be one of PENDING,
- expect_webhook: { payload: { dat: {} } }
→ payload.dat: unknown field; did you mean data?
- expect_delivery: { data: { amunt: '1' } }
→ data.amunt: unknown field; did you mean amount?
- expect_delivery: { mishap: { forgd: true } }
→ mishap.forgd: unknown field; did you mean forged?
- expect_request: { operation: createQuote, response_body: { fes: {} } }
→ response_body.fes: unknown field; did you mean fees?
- { wait_for: charge, match: { fees: { totl_fee: '1.00' } } }
→ match.fees.totl_fee: unknown field; did you mean total_fee?
- { request: POST /api/v1/payments/quotes, expect: { body: { exchnge_rate: '1' } } }
→ expect.body.exchnge_rate: unknown field; did you mean exchange_rate?
- { request: GET /api/v1/accounts/balances, expect: { body: { balances: [{ avalable_balance: '1' }] } } }
→ expect.body.balances.0.avalable_balance: unknown field; did you mean available_balance?
- { request: 'GET /api/v1/payments/charges/\${run.id}', expect: { status: 404, body: { error: { cod: x } } } }
→ expect.body.error.cod: unknown field; did you mean code?
- { request: POST /api/v1/payments/quotes, save: { q: body.quoteid } }
→ save.q: there is no quoteid to save; did you mean quote_id?
- { request: POST /api/v1/payments/quotes, save: { q: quote_id } }
→ save.q: there is no quote_id to save; did you mean body.quote_id?
- { expect_charge: {}, save: { f: fees.totl_fee } }
→ save.f: there is no totl_fee to save; did you mean total_fee?
`),
    // Conditions that can never be met.
    ...cases(`
charges: [{ match: { base_amount: { gte: "500", lt: "100" } }, timeline: [] }]
→ charges.0.match.base_amount: can never be met: no value is gte 500 and lt 100
steps: [{ expect_charge: { count: { gte: 5, lte: 2 } } }]
→ 2:28 steps.0.expect_charge.count: can never be met: no value is gte 5 and lte 2
steps: [{ expect_charge: { count: { gt: 1, lt: 2 } } }]
→ count: can never be met: no value is gt 1 and lt 2
steps: [{ wait_for: charge, match: { amount: { gt: '5.00', lte: '5' } } }]
→ match.amount: can never be met: no value is gt 5.00 and lte 5
steps: [{ wait_for: charge, count: { gte: 3, lt: 3 } }]
→ count: can never be met: no value is gte 3 and lt 3
steps: [{ expect_charge: { created_at: { gt: '2027-01-02T00:00:00Z', lt: '2027-01-01T00:00:00Z' } } }]
→ created_at: can never be met: no value is
steps: [{ expect_request: { spacing: { gte: 2m, lt: 30s } } }]
→ spacing: can never be met: no value is gte 2m and lt 30s
steps: [{ app: GET /orders, expect: { body: { n: { in: [] } } } }]
→ expect.body.n.in: is empty, so nothing matches
include: []
steps: [{ advance: 1s }]
→ 2:1 include: includes nothing
`),
    // Matchers.
    ...cases(`
charges: [{ match: { customer_email: { gte: 5 } }, timeline: [] }]
✗ 2:40 charges.0.match.customer_email.gte: compares amounts, numbers and times, but this field is text
charges: [{ match: { amount: { gte: 2026-01-01 } }, timeline: [] }]
✗ 2:32 charges.0.match.amount.gte: must be a decimal string
charges: [{ match: { amount: { gte: lots } }, timeline: [] }]
✗ 2:32 charges.0.match.amount.gte: must be a number, a decimal string or an instant such as 2026-01-31T09:00:00Z
charges: [{ match: { customer_name: { not: { matches: "(a" } } }, timeline: [] }]
✗ 2:46 charges.0.match.customer_name.not.matches: is not a regular expression: Unterminated group
webhooks: [{ match: { type: { inn: [a] } }, drop: true }]
✗ 2:31 webhooks.0.match.type.inn: unknown field; did you mean in?
faults: [{ match: { operation: { not: createQoute } }, drop: before }]
→ 2:34 faults.0.match.operation.not: there is no operation createQoute; did you mean createQuote?
- expect_charge: { metadata: { order: { matches: '(a' } } }
✗ 3:43 steps.0.expect_charge.metadata.order.matches: is not a regular expression: Unterminated group; to expect a field of this name, write \\matches
- { request: GET /x, expect: { status: { in: 200 } } }
✗ 3:44 steps.0.expect.status.in: must be a list; to expect a field of this name, write \\in
- expect_charge: { amount: { exists: maybe } }
✗ 3:32 steps.0.expect_charge.amount.exists: must be a boolean; to expect a field of this name, write \\exists
- expect_charge: { amount: { matches: 3 } }
✗ 3:32 steps.0.expect_charge.amount.matches: must be a string; to expect a field of this name, write \\matches
- expect_webhook: { count: { gte: -1 } }
✗ 3:32 steps.0.expect_webhook.count.gte: must not be negative
`),
    // Customers on the page.
    ...cases(`
- pay_twice: { payment_method: card }
✗ 3:5 steps.0.pay_twice.checkout_id: is required
- cancel_then_pay: { checkout_id: c, until: PAID }
✗ 3:40 steps.0.cancel_then_pay.until: unknown field
- close_page: { checkout_id: c, at_once: true }
✗ 3:35 steps.0.close_page.at_once: unknown field
- pay_twice: { checkout_id: c, at_once: maybe }
✗ 3:34 steps.0.pay_twice.at_once: must be true or false
- pay_twise: { checkout_id: c }
✗ 3:5 steps.0.pay_twise: unknown field; did you mean pay_twice?
- { close_page: { checkout_id: c }, save: { a: answers.0.stauts, b: returned.0.body.x, c: status } }
→ steps.0.save.a: there is no stauts to save
`),
    // Words of other tools, nested repeats, the initial state.
    ...cases(`
define: { go: [{ advance: 1s }] }
steps: [{ manual: x }]
✗ 2:1 define: unknown field
- { advance: 1s, with: { a: 1 } }
✗ 3:20 steps.0.with: unknown field
steps: [{ repeat: 5, steps: [{ repeat: 4, steps: [{ manual: x }] }] }]
✗ 2:32 steps.0.steps.0.repeat: cannot be inside another repeat: write one with repeat: 20, or write the inner steps out
steps: [{ repeat: 10000, steps: [{ repeat: 10000, steps: [{ manual: x }] }] }]
✗ 2:36 steps.0.steps.0.repeat: cannot be inside another repeat: write the inner steps out
given: { start_time: soon, sede: x, limits: { quote_valid: 0x } }
steps: [{ advance: 1s }]
✗ given.start_time: must be
✗ given.sede: unknown field; did you mean seed?
✗ given.limits.quote_valid: must be
`),
    // Rules that never apply, or to no effect.
    ...cases(`
charges: [{ timeline: [] }, { match: { currency: KES }, timeline: [] }]
→ 2:29 charges.1: never applies: rule 1 matches everything this rule matches
charges: [{ match: { currency: KES }, timeline: [] }, { timeline: [] }, { match: { currency: KES }, timeline: [] }]
→ charges.2: never applies: rule 1 matches everything this rule matches
faults: [{ drop: after, match: {} }, { drop: before }]
→ faults.1: never applies: rule 1 matches everything this rule matches
charges: [{ timeline: [], probability: 0 }]
→ charges.0.probability: is 0: the rule never applies
faults: [{ drop: after, probability: 0 }]
→ faults.0.probability: is 0: the rule never applies
webhooks: [{ at_once: true, ids: new }]
→ webhooks.0.at_once: has no effect without copies
→ webhooks.0.ids: has no effect without copies
webhooks: [{ attempt: 2, swap: true, drop: true }]
→ webhooks.0.swap: has no effect: a rule with attempt takes only delay, copies and response_lost
→ webhooks.0.drop: has no effect: a rule with attempt takes only delay, copies and response_lost
webhooks: [{ attempt: 2, copies: 2 }, { attempt: 3, copies: 2 }, { attempt: 3, delay: 1m }]
→ webhooks.2: never applies: rule 2 matches everything this rule matches
webhooks: [{ attempt: 3 }]
→ webhooks.0: has no effect: it changes nothing about the webhooks it matches
webhooks: [{ match: { currency: KES } }]
→ webhooks.0: has no effect: it changes nothing about the webhooks it matches
webhooks: [{ copies: 1 }]
→ webhooks.0: has no effect: it changes nothing about the webhooks it matches
webhooks: [{ drop: false, fail_first: 0, delay: 0s }]
→ webhooks.0: has no effect: it changes nothing about the webhooks it matches
webhooks: [{ copies: 2, drop: true }]
→ webhooks.0.copies: has no effect: the rule drops the webhook
faults: [{ drop: after, delay_answer: 1s, hold: webhook, at_most: 2s }]
→ 2:25 faults.0.delay_answer: has no effect: the rule drops the response
→ faults.0.hold: has no effect: the rule drops the response
→ faults.0.at_most: has no effect: the rule drops the response
faults: [{ delay_answer: 1s, at_most: 2s }]
→ faults.0.at_most: has no effect without hold
- fault: { drop: hang, hold: idle }
→ steps.0.fault.hold: has no effect: the rule drops the response
faults: [{ respond: { status: 500 }, drop: before }]
→ 2:12 faults.0.respond: has no effect: the rule drops the response
- fault: { respond: { status: 500 }, drop: after }
→ 3:14 steps.0.fault.respond: has no effect: the rule drops the response
`),
    // Entries of a timeline that never happen.
    ...cases(`
charges: [{ timeline: [{ after: 1s, to: COMPLETED }, { after: 1s, to: FAILED }, { after: 1s, to: REFUNDED }] }]
→ 2:54 charges.0.timeline.1: never happens: a charge that is COMPLETED cannot become FAILED
charges: [{ timeline: [{ after: 1s, to: FAILED }, { after: 1s, to: FAILED }] }]
→ charges.0.timeline.1: has no effect: the charge is already FAILED
withdrawals: [{ timeline: [{ after: 1s, to: COMPLETED }, { after: 1s, to: PENDING }] }]
→ withdrawals.0.timeline.0: never happens: a withdrawal that is PENDING cannot become COMPLETED
→ withdrawals.0.timeline.1: has no effect: the withdrawal is already PENDING
charges: [{ timeline: [{ after: 30m, to: AWAITING_PAYMENT }, { after: 30m, to: COMPLETED }] }]
→ timeline.1: never happens: the charge is AWAITING_PAYMENT until it expires after 1h (the default); a late payment is written after_expiry
charges: [{ timeline: [{ after: 2h, to: AWAITING_PAYMENT }, { after: 1s, to: PROCESSING }] }]
→ timeline.0: never happens: the charge is PENDING until it expires after 1h (the default); a late payment is written after_expiry
→ timeline.1: never happens: the charge is PENDING until it expires after 1h (the default); a late payment is written after_expiry
charges: [{ timeline: [{ after: 1s, to: EXPIRED }, { after: 2h, to: COMPLETED }] }]
→ timeline.1: never happens: entry 1 of the timeline makes the charge EXPIRED, which ends it; a late payment is written after_expiry
charges: [{ timeline: [{ after: 1s, to: PROCESSING }, { after_expiry: 1s, to: COMPLETED }, { after: 1s, to: REFUNDED }] }]
→ timeline.1: never happens: a charge that is PROCESSING does not expire
→ timeline.2: never happens: it counts from an entry that waits for an expiry, which never comes
`),
    // Slips.
    ...cases(`
steps:
  - pay: { amount: 500 }
✗ 3:12 steps.0.pay.amount: must be a string: put it in quotes
steps:
  pay: { amount: '5.00' }
✗ 2:1 steps: must be a list of steps: each begins with -
steps:
  - reset
✗ 3:5 steps.0: must be a step: an action, a colon and what it takes, such as advance: 10s
steps:
  - request: { method: GET }
✗ 3:5 steps.0.request: must be a method and a path, such as POST /api/v1/payments/quotes
steps:
  - expect: { status: 200 }
✗ 3:5 steps.0: expect belongs to the step of an action: remove the dash before it, or add an action
steps:
  - request: GET /health
    expect: 200
✗ 4:5 steps.0.expect: must have fields, such as { name: value }
steps:
  - partial_refund: { charge: x, amount: '1.00' }
✗ 3:23 steps.0.partial_refund.charge: unknown field; did you mean charge_id?
steps:
  - expect_sequence: charge.completed
✗ 3:5 steps.0.expect_sequence: must be a list of types, or have one under types
steps:
  - repeat: 2
    steps: { advance: 1s }
✗ 4:5 steps.0.steps: must be a list of steps: each begins with -
faults: [{ operation: createQuote, drop: after }]
✗ 2:12 faults.0.operation: goes under match: { operation: … }
webhooks: [{ match: charge.completed, drop: true }]
✗ 2:14 webhooks.0.match: must have fields, such as { name: value }
webhooks: [{ drop: yes }]
✗ 2:14 webhooks.0.drop: must be true or false
webhooks: [{ delay: 5 }]
✗ 2:14 webhooks.0.delay: must be a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m
charges: [{ match: { email: a@b.test }, timeline: [] }]
✗ 2:22 charges.0.match.email: unknown field; did you mean customer_email?
charges: [{ match: { customer_email: *@b.test }, timeline: [] }]
✗ 2:38 : there is no anchor &@b.test before this; put a text that begins with * in quotes
description: Refunds: partial
✗ 2:14 : is a field within a line that has one already: look at the indentation; a text with a colon and a space is put in quotes
steps:
  - request: GET /a
     body: {}
✗ 3:14 : is a field within a line that has one already: look at the indentation; a text with a colon and a space is put in quotes
steps:
  - pay { amount: '5.00' }
  - advance: 1s
✗ 3:26 : is not expected here: look for a colon or a bracket that is missing before it
steps:
\t- advance: 1s
✗ 3:1 : tabs are not allowed as indentation: use spaces
`),
  ])("%s", async (text, expected) => {
    const said = await messages(inFile(text));
    expect(said).toHaveLength(expected.length);
    for (const [index, line] of expected.entries()) {
      expect(said[index]![0]).toBe(line[0]);
      expect(said[index]).toContain(line.slice(2));
    }
  });

  it("in a nested step, at its place", async () => {
    const nested = "repeat: 2\n    steps:\n      - expect_webhook: { type: charge.complete, count: 0 }";
    expect(await messages(`steps:\n  - ${nested}`)).toEqual([
      expect.stringMatching(
        /^✗ 5:27 steps\.0\.steps\.0\.expect_webhook\.type: is an unknown event type; did/,
      ),
    ]);
  });
});

it("a file with neither rules nor steps gets a warning", async () => {
  const expected = [expect.stringContaining("has neither rules nor steps")];
  expect(await messages("steps: []")).toEqual(expected);
  expect(await messages("charges: []")).toEqual(expected);
});

describe("no fault is reported", () => {
  it.each([
    "faults: [{ match: { operation: 'create*', method: POST, path: '/api/*/quotes' }, drop: after }]",
    "faults: [{ match: { path: '*/charges/ch_*' }, drop: after }]",
    "webhooks: [{ match: { type: ['charge.*', withdrawal.failed], currency: [KES, U*] }, drop: true }]",
    "charges: [{ match: { metadata: { currency: none, operation: none } }, timeline: [] }]",
    "vars: { currency: none }\nsteps: [{ advance: 1s }]",
    "charges: [{ match: { currency: KES }, timeline: [] }, { timeline: [] }]\nwithdrawals: [{ timeline: [] }]",
    "webhooks: [{ down: 1h }, { copies: 2 }]",
    "webhooks: [{ copies: 2 }, { attempt: 2, delay: 1m, times: 1 }]",
    "webhooks: [{ copies: 2, at_once: true, ids: new }]",
    "webhooks: [{ match: { currency: KES } }, { drop: true }]",
    "faults: [{ drop: after, times: 1 }, { drop: before }]",
    "faults: [{ drop: after, skip: 1 }, { drop: before }]",
    "faults: [{ drop: after, probability: 0.5 }, { drop: before }]",
    // Paid is paid: it does not expire, however long it takes.
    "charges: [{ timeline: [{ after: 3s, to: PROCESSING }, { after: 2h, to: COMPLETED }, { after: 30d, to: REFUNDED }] }]",
    "charges: [{ timeline: [{ after: 59m59s, to: AWAITING_PAYMENT }, { after_expiry: 5m, to: PROCESSING }, { after: 2h, to: COMPLETED }] }]",
    "charges: [{ timeline: [{ after: 1s, to: EXPIRED }, { after_expiry: 2h, to: COMPLETED }] }]",
    "withdrawals: [{ timeline: [{ after: 1d, to: PROCESSING }, { after: 1d, to: FAILED }] }]",
    "steps: [{ expect_charge: { count: { gte: 2, lte: 2 }, amount: { gt: '1', lt: '2' } } }]",
    "steps: [{ app: POST /orders, body: { in: [], gt: 5, lt: 1 } }]",
    "steps: [{ expect_request: { spacing: { gte: 500ms, lt: 1s } } }]",
    "- { request: GET /api/v1/nothing, expect: { status: 404 } }",
    "- { request: GET /api/v1/nothing, expect: { error: NOT_FOUND } }",
    "- { request: 'GET /api/v1/payments/charges/${run.id}?x=1', expect: { error: NOT_FOUND } }",
    "- request: GET /health",
    "- { request: POST /api/v1/payments/quotes, body: { currency: nonsense }, save: { q: body.quote_id } }",
    "- trigger: { type: dispute.opened, force: true }",
    "- app: GET /anything",
    "- expect_sequence: { types: [charge.completed], charge_id: ch_1 }",
    "- expect_charge: { metadata: { anything: { exists: true } }, fees: { exists: false } }",
    "- expect_charge: { payment_instructions: { currency: USDT, network: TRC20 }, payment_method: crypto }",
    "- expect_webhook: { type: sandbox.charge.*, data: { sandbox_extension: { amount: '1.00' }, charge_id: x } }",
    "- expect_webhook: { type: webhook.test, data: { hello: 1 }, payload: { id: '*', data: { hello: 1 } } }",
    "- expect_webhook: { data: { withdrawal_id: x, reference: y } }",
    "- expect_delivery: { request_headers: { webhook-id: '*' }, answered: 2xx, status: delivered }",
    "- expect_request: { request_body: { meta_data: 1 }, response_body: { x: 1 } }",
    "- { wait_for: delivery, match: { mishap: { forged: true } } }",
    `- { request: POST /api/v1/payments/quotes, expect: { status: { gte: 200 }, body: { error: {}, quote_id: x } } }`,
    `- { request: GET /api/v1/payments/payins, save: { n: body.items.length, first: body.items.0.charge_id } }`,
    `- { request: POST /api/v1/payments/quotes, expect: { error: X, body: { error: { details: { a.b: y } } } } }`,
    "- { request: GET /_sandbox/clock, expect: { body: { anything: 1 } }, save: { n: body.now } }",
    "- { app: GET /orders, expect: { body: { anything: 1 } }, save: { n: body.now } }",
  ])("of %s", async (text) => expect(await messages(inFile(text))).toEqual([]));

  it("for names that the service has by its config and fixtures", async () => {
    const fixtures = fileWith(
      "currencies:\n  - { code: XAF, type: fiat, name: Franc, decimals: 0, rate: '600' }",
    );
    const text = `charges: [{ match: { currency: XAF }, timeline: [] }]
steps:
  - request: GET /v2/charges/ch_1
  - trigger: { type: PaymentSuccessful }`;
    const options = {
      fixtures,
      paths: { getCharge: "/v2/charges/{charge_id}" },
      event_names: { "charge.completed": "PaymentSuccessful" },
    };
    expect(await messages(text, options)).toEqual([]);
    expect(await messages(text)).toHaveLength(2);
    const own =
      "given: { fixtures: { currencies: [{ code: XAF, type: fiat, name: Franc, decimals: 0, rate: '600' }] } }\nwithdrawals: [{ match: { currency: XAF }, timeline: [] }]";
    expect(await messages(own)).toEqual([]);
  });
});

it("a variable in another notation gets a warning when one of that name exists", async () => {
  const steps = "vars: { email: a@b.test }\nsteps:";
  const say = (text: string) => messages(`${steps} [{ manual: "${text}" }]`);
  for (const written of ["$email", "{{email}}", "{{ email }}"])
    expect(await say(`Pay as ${written}`)).toEqual([
      `→ 3:11 steps.0.manual: ${written} is literal text: write the variable as \${email}`,
    ]);
  for (const fine of ["${email}", "$${email}", "$5.00", "$other", "{{other}}"])
    expect(await say(fine)).toEqual([]);
});

it("fields are looked up in the responses of the operations", () => {
  for (const { id, response } of OPERATIONS)
    expect(schemaDescriptionOf(RESPONSE_SCHEMAS[id])?.name, id).toBe(response);
});
