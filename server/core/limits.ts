/** Named limits of the gateway and the kernel: everything that could grow has one. */
export const LIMITS = {
  /** Body bytes accepted when the configuration says nothing. */
  bodyBytes: 1_048_576,
  /** Bytes of a callback of another service: no key counts them, and each may be made to be parsed slowly. */
  callbackBytes: 131_072,
  /** Bytes of a multipart body, for the few routes that take files. */
  multipartBytes: 27_262_976,
  /** Fields and files of one form, multipart or urlencoded: what is made of them may take more than one look at each. */
  multipartParts: 300,
  jsonDepth: 32,
  /** Values and members of a JSON body: checking one costs more than reading its bytes. */
  jsonValues: 100_000,
  /** Members that an object may have before each further one counts towards `jsonWide`, of all such objects of a body. */
  jsonNarrow: 100,
  jsonWide: 2_000,
  /**
   * Members of the objects of a JSON body, of all with the same names in the same order once: V8 makes a hidden class of each further
   * name. An import of a thousand rows, of which each lacks others of twenty members, has 18,000.
   */
  jsonShapes: 20_000,
  pageDefault: 25,
  pageMax: 100,
  /** Documents that `tx.peekAll` reads before it refuses: rule sets, not data sets. */
  allMax: 2_000,
  /** Characters of all of them: a handler has them in memory together, and several handlers run at once. */
  allChars: 20_000_000,
  /** Runs of a transaction before a lost race becomes 409. */
  transactionRetryMs: 10_000,
  /** Invalid places that one 422 lists; the rest is counted. */
  fieldErrors: 100,
  idempotencyKeyChars: 255,
  /** Responses to the account routes that a customer can have stored in a day: no quota counts them. */
  accountRepliesPerDay: 2_000,
  requestIdChars: 30,
  metadataKeys: 50,
} as const;
