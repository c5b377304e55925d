import { createFetch } from "../../../server/outgoing/fetch.ts";
import { createPost } from "../../../server/outgoing/post.ts";
import type { Ports } from "../../../server/core/ports.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../../harness.ts";
import { startStripeDouble } from "../../support/stripe-double.ts";
import type { StripeDouble, StripeFault } from "../../support/stripe-double.ts";
import type { World } from "./dying.ts";
import { createShop, line, NOW } from "./shop.ts";
import type { Shop } from "./shop.ts";

export const BASE_URL = "https://shop.example";
export const outgoing = {
  post: createPost({ allowPrivate: true }),
  fetch: createFetch({ allowPrivate: true }),
};

/** A live shop whose outgoing requests reach a double of Stripe on this machine. */
export const createStripeShop = (options: Parameters<typeof createShop>[0] = {}): Promise<Shop> =>
  createShop({ mode: "live", config: { baseUrl: BASE_URL }, ...outgoing, ...options });

export const makeGateway = (shop: Shop, stripe: StripeDouble, more: object = {}) =>
  shop.make("/gateways", {
    title: "Cards",
    kind: "stripe",
    secret_key: stripe.apiKey,
    url: stripe.url,
    ...more,
  });

/** A monthly contract of `ada` that begins today, paid with a card of this behaviour. */
export async function makeStripeContract(
  shop: Shop,
  stripe: StripeDouble,
  behaviour: string,
  more: object = {},
) {
  const gateway = await makeGateway(shop, stripe);
  const token = stripe.account.addCard(behaviour);
  const method = await shop.make("/payment-methods", {
    customer_id: "ada",
    gateway_id: gateway.id,
    token_ref: token,
  });
  const contract = await shop.make("/contracts", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: [line()],
    interval: { unit: "month", count: 1 },
    payment_method_id: method.id,
    ...more,
  });
  return { gateway, method, token, id: contract.id as string };
}

export interface StripeWorld extends World {
  readonly stripe: StripeDouble;
  readonly ports: Ports;
  close(): Promise<void>;
}

/** A store with a contract whose first charge is due at Stripe; `fault` befalls the first request of each kind. */
export async function createStripeWorld(fault: StripeFault | null): Promise<StripeWorld> {
  const clock = createTestClock(NOW);
  const store = createMemoryDriver({ clock });
  const stripe = await startStripeDouble({ now: clock.now });
  const shop = await createStripeShop({ store });
  const { id } = await makeStripeContract(shop, stripe, "ok");
  let isDone = false;
  stripe.fault = ({ operation }) => {
    if (isDone || !operation.startsWith("POST")) return null;
    isDone = true;
    return fault;
  };
  return {
    shop,
    store,
    part: shop.part,
    clock,
    contractId: id,
    stripe,
    ports: { ...closedPorts, ...outgoing, baseUrl: BASE_URL, realNow: clock.now },
    async close() {
      await shop.harness.close();
      await stripe.close();
    },
  };
}
