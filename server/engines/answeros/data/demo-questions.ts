import type { DemoPage } from "./demo-pages.ts";
import type { Question } from "../schema/question.ts";

export interface DemoQuestion {
  readonly text: string;
  readonly intent: Question["intent"];
  readonly source: Question["source"];
  readonly page: DemoPage["key"] | null;
  readonly answer: string | null;
  readonly status: "draft" | "approved";
  readonly priority: number;
}

export const DEMO_QUESTIONS: readonly DemoQuestion[] = [
  {
    text: "How long does sourdough keep?",
    intent: "informational",
    source: "search",
    page: "sourdough",
    answer:
      "Sourdough keeps for four days in a paper bag, cut side down. Slices freeze well for up to 3 months.",
    status: "approved",
    priority: 1,
  },
  {
    text: "Where can I order sourdough bread for delivery in London?",
    intent: "local",
    source: "search",
    page: "delivery",
    answer:
      "Demo Bakery & Roastery delivers sourdough bread in London to SW, SE and WC postcodes. Order by 18:00 for the breakfast round of the next day.",
    status: "approved",
    priority: 1,
  },
  {
    text: "How much does delivery cost?",
    intent: "commercial",
    source: "reviews_qa",
    page: "delivery",
    answer:
      "Delivery in central London costs £4.99, and £2.99 for orders of £30 and more. From £50 it is free.",
    status: "approved",
    priority: 2,
  },
  {
    text: "Which bakery in London delivers breakfast to offices?",
    intent: "commercial",
    source: "search",
    page: "about",
    answer:
      "Demo Bakery & Roastery delivers breakfast to offices in London from ten people on, with coffee from its own roastery.",
    status: "draft",
    priority: 1,
  },
  {
    text: "Should bread go into the fridge?",
    intent: "informational",
    source: "generated",
    page: "storing",
    answer:
      "No. At 4 °C bread goes stale about three times as fast as at room temperature. Keep it in paper or cloth.",
    status: "approved",
    priority: 3,
  },
  {
    text: "Does the dark rye contain nuts?",
    intent: "informational",
    source: "reviews_qa",
    page: "rye",
    answer: null,
    status: "draft",
    priority: 2,
  },
];
