/** Named limits of the engine: everything that a shop or a visitor can fill has one. */
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
  /** Bytes of the answers of one submission as JSON: with all that joins them they fit into one stored document. */
  answerBytes: 200_000,
  /** Nodes of one condition, and how deep they nest. */
  conditionNodes: 30,
  conditionDepth: 5,
  fileBytes: 10_485_760,
  files: 5,
  submissionFileBytes: 26_214_400,
  /** Bytes of a file that one stored piece holds: as base64 they stay below what a document may have. */
  chunkBytes: 180_000,
  tags: 20,
  notes: 50,
  blockedTerms: 500,
  origins: 20,
  quoteItems: 30,
  timeline: 100,
  retentionDays: 3_650,
  /** Entries of a submission's answers that can be looked for. */
  indexedAnswers: 24,
  indexedWords: 12,
  exportRows: 5_000,
} as const;

/** How long what a visitor holds is good for. */
export const FORMS_TIMES = {
  uploadMs: 3_600_000,
  challengeMs: 1_200_000,
  /** A partial submission that nobody finishes. */
  partialMs: 7 * 86_400_000,
  /** A reply goes to an address once in this time. */
  replyMs: 3_600_000,
  /** Who has sent a form is known for so long where the form takes one a visitor. */
  visitorMs: 86_400_000,
  duplicateMs: 86_400_000,
  captchaTimeoutMs: 5_000,
} as const;
