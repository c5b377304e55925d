/** Documents used in the examples of the routes. */
export const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };
const id = (prefix: string, tail = "1"): string => `${prefix}_01JD8Z5T9QK3M4N5P6R7S8T9V${tail}`;

export const IDS = {
  page: id("pag", "0"),
  score: id("scr", "0"),
  schema: id("sch"),
  question: id("aqs"),
  rewrite: id("rwr"),
  brand: id("brd"),
  rival: id("brd", "2"),
  prompt: id("prm"),
  run: id("run"),
  observation: id("obs"),
  draft: id("drf"),
};

export const examplePage = {
  id: IDS.page,
  ...times,
  url: "https://crumb.example/sourdough",
  source: null,
  page_type: "product" as const,
  locale: "en-GB",
  entity: "Hackney sourdough",
  html_hash: "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de",
  meta: {
    title: "Hackney sourdough | Crumb",
    description: "Sourdough baked every morning in Hackney.",
    noindex: false,
    nosnippet: false,
    max_snippet: null,
    canonical: "https://crumb.example/sourdough",
    date_published: "2026-02-01",
    date_modified: "2026-05-20",
    word_count: 412,
  },
  tracked_question_ids: [IDS.question],
  status: "ready" as const,
  error: null,
  fetched_at: "2026-06-01T09:00:00.000Z",
  latest_score: { id: IDS.score, total: 71, band: "fair" as const, computed_at: "2026-06-01T09:00:00.000Z" },
  version: 3,
};

const exampleCheck = {
  id: "B5",
  component: "answerability" as const,
  title: "Short sentences",
  points: 4,
  max: 4,
  status: "good" as const,
  evidence: "Half of the sentences have at most 12 words.",
  fix: null,
};

export const exampleResult = {
  total: 71,
  band: "fair" as const,
  gate: null,
  components: {
    access: 15,
    answerability: 21.5,
    evidence: 14,
    freshness: 10,
    coverage: 6.67,
    structured_data: 3,
  },
  checks: [exampleCheck],
  penalties: [],
  score_version: 1,
  text_model: 1,
  computed_at: "2026-06-01T09:00:00.000Z",
};

export const exampleScore = {
  id: IDS.score,
  ...times,
  page_id: IDS.page,
  page_type: "product" as const,
  ...exampleResult,
  previous_total: 64,
  version: 3,
};

export const exampleHtml =
  "<html><head><title>Rye loaf | Crumb</title></head><body><h1>Rye loaf</h1>" +
  "<p>Rye loaf is a dense bread of 800 g that Crumb bakes on Tuesdays for £4.20.</p></body></html>";
