/** Limits of the engine: everything that a store or a visitor can create has one. */
export const FORMS_LIMITS = {
  forms: 200,
  fields: 100,
  steps: 20,
  options: 100,
  locales: 10,
  consents: 10,
  notifications: 5,
  recipients: 5,
  /** Characters of one text answer. */
  textChars: 10_000,
  /** Bytes of the answers of one submission as JSON: together with the rest they fit into one stored document. */
  answerBytes: 200_000,
  /** Nodes of one condition, and their nesting depth. */
  conditionNodes: 30,
  conditionDepth: 5,
  fileBytes: 10_485_760,
  files: 5,
  submissionFileBytes: 26_214_400,
  tags: 20,
  notes: 50,
  blockedTerms: 500,
  origins: 20,
  quoteItems: 30,
  /** Of a line, as catering takes it. */
  quotePrice: 1_000_000_000,
  timeline: 100,
  retentionDays: 3_650,
  /** Indexed answers per submission. */
  indexedAnswers: 24,
  indexedWords: 12,
  exportRows: 5_000,
} as const;

/** Validity of tokens issued to a visitor. */
export const FORMS_TIMES = {
  uploadMs: 3_600_000,
  challengeMs: 1_200_000,
  /** Lifetime of an unfinished partial submission. */
  partialMs: 7 * 86_400_000,
  /** Minimum time between two replies to an address. */
  replyMs: 3_600_000,
  /** How long a sender is remembered if the form accepts one submission per person. */
  visitorMs: 86_400_000,
  duplicateMs: 86_400_000,
  captchaTimeoutMs: 5_000,
} as const;
