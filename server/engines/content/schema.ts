/** Limits of the engine: everything a customer can create has one. */
export const CONTENT_LIMITS = {
  bodyBytes: 150_000,
  titleChars: 300,
  excerptChars: 500,
  slugChars: 75,
  tags: 20,
  keyphrases: 10,
  approvals: 5,
  changeRequests: 50,
  /** AI paragraphs recorded per draft. */
  aiParagraphs: 500,
  aiGenerations: 100,
  /** Number of words from which revisions are compared by lines only. */
  diffWords: 20_000,
  /** Changes searched by a comparison before everything is reported as new. */
  diffChanges: 1_000,
  /** Posts in a sitemap, newest first; the protocol allows 50,000. */
  sitemapPosts: 5_000,
  feedPosts: 50,
  /** Tracked articles per response on cannibalisation. */
  keyphrasesCompared: 5_000,
  calendarDays: 92,
  calendarEntries: 500,
  /** Days of search metrics stored per article. */
  metricDays: 400,
  importRows: 2_000,
  /** Bytes of the rows of one import, which are stored in one document. */
  importBytes: 240_000,
  importChars: 200_000,
  /** Checks stored per article. */
  checksKept: 30,
  redirects: 3,
  generationInputChars: 60_000,
} as const;

/** Version of the weights and thresholds of the checks: scores of different versions are not comparable. */
export const SCORE_VERSION = 2;
