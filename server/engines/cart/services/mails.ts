import type { Ports } from "../../../core/ports.ts";
import { addressId } from "../repository.ts";
import { showLines } from "../../../lib/show.ts";
import type { Words } from "../../../core/words.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Settings } from "../schema.ts";
import type { Cart, RecoveryStep } from "../schema/cart.ts";

/** The mail of a step: links to the cart and to unsubscribe are signed, so that they cannot be forged. */
export function recoveryMail(
  ports: Ports,
  about: {
    readonly part: string;
    readonly cart: Cart;
    readonly step: RecoveryStep;
    readonly settings: Settings;
    readonly words: Words;
  },
): { template: string; data: Record<string, unknown> } {
  const { part, cart, step, settings, words } = about;
  const restore = makeToken(ports, "cart.restore", part, cart.id);
  const unsubscribe = makeToken(ports, "cart.unsubscribe", part, addressId("sup", cart.customer.email ?? ""));
  return {
    template: step.template,
    data: {
      shop_name: settings.shop_name,
      customer_name: cart.customer.name,
      lines: showLines(cart.lines),
      total: words.money(cart.total, cart.currency),
      coupon: step.coupon ?? "",
      cart_url: `${ports.baseUrl}/api/public/carts/${restore}`,
      unsubscribe_url: `${ports.baseUrl}/api/public/unsubscribe/${unsubscribe}`,
    },
  };
}
