import type { Guide } from "./guide.ts";

export const firstSubscription: Guide = {
  slug: "first-subscription",
  title: "From an empty store to the first paid subscription",
  summary: "Connect Stripe with one key, create a contract, and let the customer save a card.",
  markdown: (baseUrl) => `
You need an API key with \`subscriptions:write\` and \`subscriptions:manage\`, a secret key of Stripe (\`sk_test_…\` to
begin with), and \`curl\` and \`jq\`.

\`\`\`bash
export API_KEY=\${API_KEY:-plat_live_…}
export STRIPE_KEY=\${STRIPE_KEY:-sk_test_…}
post() { curl -sf ${baseUrl}/v1/subscriptions$1 -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" -d "$2"; }
\`\`\`

## 1. Connect Stripe

\`\`\`bash
GATEWAY=$(post /gateways '{"title": "Cards", "kind": "stripe", "secret_key": "'$STRIPE_KEY'"}' | jq -r .data.id)
\`\`\`

The key is all that is needed. The webhook endpoint is created at Stripe if this service has a public https address; \`webhook_id\`
contains it. Without one, payments are looked up. A restricted key needs write access to Checkout Sessions, PaymentIntents, Refunds
and Webhook Endpoints, and read access to Disputes and PaymentMethods.

## 2. Create a contract

\`\`\`bash
CONTRACT=$(post /contracts '{
  "customer": {"id": "ada", "email": "ada@shop.example", "name": "Ada Byron"},
  "lines": [{"product_ref": "coffee-1kg", "title": "Coffee, 1 kg", "quantity": 1, "unit_price": 1800}],
  "interval": {"unit": "month", "count": 1}
}' | jq -r .data.id)
\`\`\`

Amounts are minor units: 1800 is £18.00. The contract is \`pending\` until its first charge is paid, and expires after 23 hours without it.

## 3. Let the customer save a card

\`\`\`bash
PAGE=$(post /contracts/$CONTRACT/portal-link '{}' | jq -r .data.url)
echo "$PAGE"
\`\`\`

Open the page and press **Add a card**: it leads to Stripe's own page, so card numbers never reach this service or your shop. In Stripe's
test mode, \`4242 4242 4242 4242\` pays, and \`4000 0027 6000 3184\` asks for a confirmation at the bank. The first charge is made within seconds.

## 4. See that it is paid

\`\`\`bash
STATUS=$(curl -sf ${baseUrl}/v1/subscriptions/contracts/$CONTRACT -H "Authorization: Bearer $API_KEY" | jq -r .data.status)
echo "$STATUS"
\`\`\`

The status is \`active\`. From now on a charge is made each month, failed ones are retried by the dunning policy, and the customer manages the
subscription on the same page. Subscribe to \`subscriptions.charge.succeeded\` to create your orders: its \`order_ref\` is the same in every repetition.
`,
};

export const paymentGateways: Guide = {
  slug: "payment-gateways",
  title: "Payment gateways",
  summary: "The kinds of gateways, and the protocol of a gateway of your own.",
  markdown: (baseUrl) => `
| Kind | Charges |
|---|---|
| \`manual\` | Wait until \`POST …/charges/{id}/mark-paid\` |
| \`test\` | Move no money; the token of the payment method decides the outcome, and \`GET …/gateways/{id}/calls\` lists every request |
| \`stripe\` | Cards saved at Stripe, charged off session; see [the first subscription](${baseUrl}/docs/guides/first-subscription) |
| \`external\` | Your own server, by the protocol below |

## Requests to an external gateway

Each request is a \`POST\` to the \`url\` of the gateway, signed by [Standard Webhooks](https://www.standardwebhooks.com) with the secret of
\`POST …/gateways/{id}/secrets\`. A gateway without a secret is refused when a payment method is created. \`idempotency-key\` is
the id of the attempt or refund: carry out the same key once, and repeat the result for every repetition.

\`\`\`json
{"type": "charge", "data": {"key": "chg_…-1", "charge_id": "chg_…", "contract_id": "sub_…", "amount": 1800, "currency": "GBP", "customer_id": "ada", "token_ref": "tok_9"}}
{"type": "lookup", "data": {"key": "chg_…-1"}}
{"type": "refund", "data": {"key": "chg_…-r1", "charge_key": "chg_…-1", "gateway_ref": "ch_1", "amount": 300, "currency": "GBP", "reason": "Late"}}
\`\`\`

\`amount\` is in minor units, \`token_ref\` is the token of the payment method, and \`gateway_ref\` the \`ref\` of the charge.

| Response | Meaning |
|---|---|
| \`200\` and a result | The result below |
| \`202\` | \`pending\`: the result follows at \`callback_url\` |
| \`404\` to a \`lookup\` | The key was never received: the charge is sent again under the same key within \`key_ttl_hours\`, and needs review after that |
| Anything else, or none within \`timeout_seconds\` | Unknown: looked up after 1, 5 and 30 minutes, then hourly; never charged under another key |

With \`supports_lookup: false\` an unknown attempt needs review at once: \`POST …/charges/{id}/settle\` resolves it.

## Results

\`\`\`json
{"status": "failed", "ref": "ch_1", "failure": {"category": "soft", "code": "insufficient_funds", "message": "The account holds too little."}}
\`\`\`

\`status\` is \`succeeded\`, \`failed\`, \`pending\` or \`requires_action\` with an https \`action_url\` at which the customer confirms. \`ref\` is your own id
of the payment. \`failure.category\` decides what follows:

| Category | Follows |
|---|---|
| \`soft\` | Retried by the dunning policy: funds, limits, an issuer that declines for now. Default |
| \`hard\` | Never retried with this payment method: lost, stolen, closed, authorization revoked |
| \`method\` | Never retried with this payment method: expired or invalid |
| \`action\` | Retried; the customer did not confirm |
| \`inventory\` | Retried by \`inventory_days\` of the policy |
| \`system\` | Retried after \`system_minutes\` of the policy: a fault of the gateway |
| \`config\` | Waits for another payment method: the gateway does not accept this payment |

Decline codes of Stripe are mapped to these categories by [its documentation](https://docs.stripe.com/declines/codes).

## Callbacks

Post the result to \`callback_url\`, signed in the same way, with a \`webhook-id\` of your own for each event. An event is applied once, in
whatever order events arrive; a definite result never changes, except that a late \`succeeded\` is recorded.

\`\`\`json
{"type": "payment.updated", "data": {"key": "chg_…-1", "status": "succeeded", "ref": "ch_1"}}
\`\`\`

The response contains \`outcome\`: \`applied\`, \`repeated\`, or \`unknown\` for a key that no attempt has. \`403\` means that the signature is missing, wrong or
older than five minutes.
`,
};
