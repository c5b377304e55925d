import type { Answers } from "../schema/field.ts";
import type { Spam, Submission, SubmissionStatus } from "../schema/submission.ts";

/** A submission to the demo bakery. */
export interface DemoSent {
  readonly form: "contact" | "quote" | "newsletter";
  readonly hoursAgo: number;
  readonly status: SubmissionStatus;
  readonly data: Answers;
  readonly spam?: Spam;
  readonly channel?: Submission["channel"];
}

/** Newest first. */
export const DEMO_SENT: readonly DemoSent[] = [
  {
    form: "contact",
    hoursAgo: 2,
    status: "new",
    data: {
      name: "Nia Okafor",
      email: "nia.okafor@mail.example",
      topic: "allergens",
      message: "Is there egg wash on the seeded rolls? My son is allergic and would love to try them.",
    },
  },
  {
    form: "quote",
    hoursAgo: 5,
    status: "new",
    channel: "agent",
    data: {
      name: "Ada Byron",
      company: "Analytical Engines Ltd",
      email: "ada@analytical.example",
      phone: "+442079460018",
      date: "2026-12-11",
      time: "12:30",
      guests: 40,
      postcode: "E8 3PH",
      food: ["Working lunch", "Afternoon tea"],
      staff: true,
      dietary: ["vegan", "gluten_free"],
      budget: 60_000,
      message: "Our end-of-year lunch. Four of us are vegan, one is coeliac.",
    },
  },
  {
    form: "contact",
    hoursAgo: 9,
    status: "quarantined",
    spam: {
      score: 75,
      verdict: "quarantined",
      reasons: [
        { code: "token_missing", points: 40 },
        { code: "urls", points: 20 },
        { code: "disposable_email", points: 15 },
      ],
    },
    data: {
      name: "Traffic Team",
      email: "growth@mailinator.com",
      topic: "other",
      message: "See https://a.example https://b.example https://c.example for more visitors to your shop.",
    },
  },
  {
    form: "newsletter",
    hoursAgo: 11,
    status: "new",
    data: { email: "theo.marsh@mail.example", likes: ["sourdough", "events"] },
  },
  {
    form: "contact",
    hoursAgo: 26,
    status: "open",
    data: {
      name: "Ben Whitlock",
      email: "ben.whitlock@mail.example",
      topic: "order",
      order_number: "BK-20418",
      message: "The rye loaf was missing from this morning's delivery, the rest was lovely.",
    },
  },
  {
    form: "quote",
    hoursAgo: 30,
    status: "open",
    data: {
      name: "Priya Shah",
      email: "priya@studio-nine.example",
      date: "2026-12-03",
      guests: 16,
      postcode: "N1 7AA",
      food: ["Breakfast pastries"],
      dietary: ["vegetarian"],
      message: "Breakfast before a workshop, delivered by eight if you can.",
    },
  },
  {
    form: "contact",
    hoursAgo: 40,
    status: "spam",
    spam: {
      score: 100,
      verdict: "spam",
      reasons: [
        { code: "honeypot_filled", points: 100 },
        { code: "blocked_term", points: 15 },
      ],
    },
    data: {
      name: "SEO Experts",
      email: "rank@seo.example",
      topic: "other",
      message: "Our SEO services put you on page one. Reply for backlinks.",
    },
  },
  {
    form: "newsletter",
    hoursAgo: 50,
    status: "new",
    data: { email: "rosa.delgado@mail.example", likes: ["seasonal"], source: "receipt" },
  },
  {
    form: "contact",
    hoursAgo: 75,
    status: "done",
    data: {
      name: "Margaret Hale",
      email: "m.hale@mail.example",
      topic: "praise",
      message: "The Christmas stollen was the best I have had outside Dresden. Thank you.",
    },
  },
  {
    form: "quote",
    hoursAgo: 120,
    status: "done",
    data: {
      name: "Callum Reid",
      company: "Reid & Partners",
      email: "callum@reid.example",
      phone: "+442079460123",
      date: "2026-11-28",
      guests: 120,
      postcode: "EC1A 1BB",
      food: ["Afternoon tea", "Celebration cake"],
      staff: true,
      budget: 350_000,
      message: "Retirement party for our founder.",
    },
  },
  {
    form: "quote",
    hoursAgo: 300,
    status: "done",
    data: {
      name: "Hannah Fischer",
      email: "hannah@gallery-east.example",
      date: "2026-11-20",
      time: "18:00",
      guests: 60,
      postcode: "E2 8DD",
      food: ["Celebration cake"],
      dietary: ["vegan", "halal"],
      message: "Opening of our winter show.",
    },
  },
];
