import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
/** Questions of visitors of the bakery's pages, with answers. */
export const DEMO_QUESTIONS = [
  {
    product: "sourdough",
    body: "How long does the loaf keep, and in what?",
    name: "Iris",
    answers: [
      {
        body: "Four to five days, in a linen bag or a bread bin. Not in the fridge: it goes stale there.",
        name: DEMO_SHOP_NAME,
        type: "merchant",
        accepted: true,
      },
      {
        body: "We slice and freeze half of it. Straight into the toaster from there.",
        name: "Ben",
        type: "customer",
        accepted: false,
      },
    ],
  },
  {
    product: "rye",
    body: "Is the dark rye free of wheat?",
    name: "Jon",
    answers: [
      {
        body: "It has a fifth of wheat flour, and everything here is made in a bakery that handles wheat.",
        name: DEMO_SHOP_NAME,
        type: "merchant",
        accepted: true,
      },
    ],
  },
  {
    product: "cake",
    body: "Can the carrot cake be made without walnuts?",
    name: "Kaya",
    answers: [
      {
        body: "We bake it with sunflower seeds on request, three days ahead. We cannot promise that no trace of nuts gets in.",
        name: DEMO_SHOP_NAME,
        type: "merchant",
        accepted: false,
      },
    ],
  },
  { product: "coffee", body: "Do you grind it for an AeroPress?", name: "Luis", answers: [] },
  {
    product: "croissant",
    body: "At what time is the first batch out of the oven on Sundays?",
    name: "Mia",
    answers: [],
  },
] as const;
