import { IDS, times } from "./examples.ts";

export const exampleQuestion = {
  id: IDS.question,
  ...times,
  text: "How long does sourdough keep?",
  locale: "en-GB",
  intent: "informational" as const,
  source: "manual" as const,
  page_id: IDS.page,
  answer: {
    text: "Sourdough keeps for four days in a paper bag. Freeze it in slices for up to three months.",
    status: "approved" as const,
    sources: [{ title: "Storing bread", url: "https://crumb.example/storing" }],
    approved_at: "2026-06-01T09:00:00.000Z",
  },
  priority: 2,
  version: 5,
};
