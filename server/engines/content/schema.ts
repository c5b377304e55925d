/** Named limits of the engine: everything a customer can fill has one. */
export const CONTENT_LIMITS = {
  bodyBytes: 150_000,
  titleChars: 300,
  excerptChars: 500,
  slugChars: 75,
  tags: 20,
  keyphrases: 10,
  approvals: 5,
  changeRequests: 50,
  /** Paragraphs of a draft that are known to come from AI. */
  aiParagraphs: 500,
  aiGenerations: 100,
  /** Words of a revision beyond which it is compared by lines alone. */
  diffWords: 20_000,
  /** Changes that a comparison looks for before it says that all is new. */
  diffChanges: 1_000,
  /** Posts that a sitemap holds, newest first; the protocol allows 50,000. */
  sitemapPosts: 5_000,
  feedPosts: 50,
  /** Tracked articles of which one answer on cannibalisation tells. */
  keyphrasesCompared: 5_000,
  calendarDays: 92,
  calendarEntries: 500,
  /** Days of search figures that an article keeps. */
  metricDays: 400,
  importRows: 2_000,
  /** Bytes of the rows of one import, which lie in one document. */
  importBytes: 240_000,
  importChars: 200_000,
  /** Checks of one article that are kept. */
  checksKept: 30,
  redirects: 3,
  generationInputChars: 60_000,
} as const;

/** Version of the weights and thresholds of the checks: scores of different versions are not compared. */
export const SCORE_VERSION = 1;
