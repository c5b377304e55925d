import { defineTransitions } from "../../../core/states.ts";

export const offerStates = defineTransitions("Offer", {
  collection: "cart.offers",
  steps: {
    change: [["draft", "scheduled", "active", "paused"], null],
    change_terms: [["draft", "scheduled", "paused"], null],
    activate: [
      ["draft", "paused"],
      ["active", "scheduled"],
    ],
    starts: [["scheduled"], "active"],
    ends: [["scheduled", "active", "paused"], "ended"],
    pause: [["active", "scheduled"], "paused"],
    archive: [["draft", "paused", "ended"], "archived"],
  },
});

export const bundleStates = defineTransitions("Bundle", {
  collection: "cart.bundles",
  steps: {
    change: [["draft", "scheduled", "active", "paused"], null],
    activate: [
      ["draft", "paused"],
      ["active", "scheduled"],
    ],
    starts: [["scheduled"], "active"],
    ends: [["scheduled", "active", "paused"], "archived"],
    pause: [["active", "scheduled"], "paused"],
    archive: [["draft", "scheduled", "active", "paused"], "archived"],
  },
});

export const cartStates = defineTransitions("Cart", {
  collection: "cart.carts",
  steps: {
    change: [["active", "abandoned", "lost", "suppressed"], "active"],
    // To a cart that was closed by an order through another one.
    customer_returns: [["converted"], "active"],
    inactivity: [["active"], "abandoned"],
    convert: [["active", "abandoned", "suppressed", "lost"], "converted"],
    unsubscribe: [["active", "abandoned"], "suppressed"],
    recovery_ends: [["active", "abandoned", "suppressed"], "lost"],
  },
});
