import { expect, it } from "vitest";

import { verifyStripe } from "../../../server/engines/subscriptions/rules/stripe-signature.ts";

// Signed by `webhooks.generateTestHeaderString` of Stripe's own package, version 23.1.0.
const BODY = '{"id":"evt_1","object":"event"}';
const SECRET = "whsec_test_secret";
const SECONDS = 1_770_000_000;
const V1 = "90657b51bf19c5dda978173412a2a254b0858798c782ffddc2902f77fb4e7809";
const at = (seconds: number) => (SECONDS + seconds) * 1000;

it("accepts what Stripe signed within five minutes, with any of the secrets and signatures", () => {
  const header = `t=${SECONDS},v1=${V1}`;
  expect(verifyStripe(header, BODY, [SECRET], at(0))).toBe("ok");
  expect(verifyStripe(header, BODY, ["whsec_new", SECRET], at(300))).toBe("ok");
  expect(verifyStripe(`t=${SECONDS},v1=${"0".repeat(64)},v1=${V1},v0=x`, BODY, [SECRET], at(-300))).toBe(
    "ok",
  );
});

it("compares ten signatures, however many there are", () => {
  const after = (count: number) => `t=${SECONDS}${`,v1=${"0".repeat(64)}`.repeat(count)},v1=${V1}`;
  expect(verifyStripe(after(9), BODY, [SECRET], at(0))).toBe("ok");
  expect(verifyStripe(after(10), BODY, [SECRET], at(0))).toBe("forged");
});

it("refuses everything else", () => {
  const header = `t=${SECONDS},v1=${V1}`;
  expect(verifyStripe(header, `${BODY} `, [SECRET], at(0))).toBe("forged");
  expect(verifyStripe(header, BODY, ["whsec_new"], at(0))).toBe("forged");
  expect(verifyStripe(header, BODY, [], at(0))).toBe("forged");
  expect(verifyStripe(`t=${SECONDS + 1},v1=${V1}`, BODY, [SECRET], at(0))).toBe("forged");
  expect(verifyStripe(`t=${SECONDS},v0=${V1}`, BODY, [SECRET], at(0))).toBe("missing");
  expect(verifyStripe(`v1=${V1}`, BODY, [SECRET], at(0))).toBe("missing");
  expect(verifyStripe(undefined, BODY, [SECRET], at(0))).toBe("missing");
  expect(verifyStripe(header, BODY, [SECRET], at(301))).toBe("stale");
  expect(verifyStripe(header, BODY, [SECRET], at(-301))).toBe("stale");
});
