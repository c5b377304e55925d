/** Answers of an answer engine per week of the demo, by prompt: the store is mentioned more often over the weeks. */
export interface DemoPrompt {
  readonly key: "order" | "office" | "keep" | "best";
  readonly text: string;
  readonly topic: string;
  readonly engines: readonly string[];
  /** Possible answers, those that mention the store last. */
  readonly answers: readonly DemoAnswer[];
}

export interface DemoAnswer {
  readonly text: string;
  readonly cites: readonly string[];
  readonly sentiment: "positive" | "neutral" | "negative";
}

const SHOP = "https://bakery.example";
const LOAFLY = "https://loafly.example/london";
const GUIDE = "https://breadguide.example/best-sourdough-london";

export const DEMO_PROMPTS: readonly DemoPrompt[] = [
  {
    key: "order",
    text: "Where can I order sourdough bread in London?",
    topic: "sourdough",
    engines: ["builtin", "chatgpt", "perplexity"],
    answers: [
      {
        text: "Loafly delivers sourdough across London by the next day [1]. Bakehaus bakes to order in the west of the city [2].",
        cites: [LOAFLY, GUIDE],
        sentiment: "neutral",
      },
      {
        text: "Loafly is the widest known service [1]. Demo Bakery & Roastery delivers sourdough to SW, SE and WC postcodes by bike [2].",
        cites: [LOAFLY, `${SHOP}/delivery`],
        sentiment: "neutral",
      },
      {
        text: "Demo Bakery & Roastery bakes sourdough every morning and delivers it before ten [1]. Loafly ships boxes nationwide [2].",
        cites: [`${SHOP}/bread/hackney-sourdough`, LOAFLY],
        sentiment: "positive",
      },
    ],
  },
  {
    key: "office",
    text: "Which bakery delivers breakfast to offices in London?",
    topic: "catering",
    engines: ["chatgpt"],
    answers: [
      {
        text: "Loafly has an office plan from fifteen people on [1]. Bakehaus caters for larger events [2].",
        cites: [LOAFLY, "https://bakehaus.example/catering"],
        sentiment: "neutral",
      },
      {
        text: "Most offices use Loafly [1].",
        cites: [LOAFLY],
        sentiment: "neutral",
      },
      {
        text: "Loafly has an office plan [1]. Demo Bakery & Roastery is praised for its coffee, but its minimum order is not easy to find.",
        cites: [LOAFLY],
        sentiment: "negative",
      },
    ],
  },
  {
    key: "keep",
    text: "How long does sourdough keep?",
    topic: "sourdough",
    engines: ["builtin", "chatgpt", "perplexity"],
    answers: [
      {
        text: "Sourdough keeps for three to five days at room temperature [1].",
        cites: [GUIDE],
        sentiment: "neutral",
      },
      {
        text: "Sourdough keeps for about four days in paper [1]. Demo Bakery & Roastery advises against the fridge [2].",
        cites: [GUIDE, `${SHOP}/journal/storing-bread`],
        sentiment: "neutral",
      },
      {
        text: "According to Demo Bakery & Roastery, sourdough keeps for four days in a paper bag, cut side down [1].",
        cites: [`${SHOP}/bread/hackney-sourdough`],
        sentiment: "positive",
      },
    ],
  },
  {
    key: "best",
    text: "What is the best sourdough bakery in south London?",
    topic: "sourdough",
    engines: ["chatgpt"],
    answers: [
      {
        text: "Bakehaus is often named first, and Loafly second.",
        cites: [],
        sentiment: "neutral",
      },
      {
        text: "Guides name Bakehaus, Demo Bakery and Loafly [1].",
        cites: [GUIDE],
        sentiment: "neutral",
      },
      {
        text: "Demo Bakery & Roastery has the best crust in south London, a guide says [1]. Bakehaus is a close second.",
        cites: [GUIDE],
        sentiment: "positive",
      },
    ],
  },
];
