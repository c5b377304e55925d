import { StoreError } from "../contract.ts";
import type { StoreErrorCode } from "../contract.ts";

/** What may have happened when a call gets no answer: a commit may be there, a read or a probe changes nothing. */
export type Call = "commit" | "other";

interface Meaning {
  readonly code: StoreErrorCode;
  readonly retryable?: boolean;
  readonly remedy?: string;
}

/** What Redis's error answers mean, the first that matches. None of these calls was executed. */
const REPLIES: readonly (readonly [RegExp, Meaning])[] = [
  [/^REPLACED /, { code: "REPLACED" }],
  [/^OOM |^MISCONF .*No space left/, { code: "FULL" }],
  [/\b(NOAUTH|WRONGPASS|NOPERM)\b/, { code: "UNAVAILABLE", retryable: false }],
  [
    /^(MOVED|ASK) /,
    { code: "INVALID", remedy: "It belongs to a Redis Cluster. Set nodes to a list of its nodes." },
  ],
  [
    /^ERR (DB index is out of range|invalid DB index)/,
    { code: "INVALID", remedy: "Correct the database number in its URL." },
  ],
  [
    /cluster support disabled/,
    { code: "INVALID", remedy: "It is not a Redis Cluster. Set url instead of nodes." },
  ],
  [/^(MISCONF|LOADING|BUSY|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN) /, { code: "UNAVAILABLE" }],
  [/max number of clients/, { code: "UNAVAILABLE" }],
];

/** The client's words for a command that it never wrote. */
const UNSENT =
  /^(Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections|None of startup nodes)/;

/** The client's words for an answer that no Redis gives, as a web server's on a wrong port; what follows is for its authors. */
const NO_REDIS = /^Protocol error(, got .* as reply type byte)\. Please report this\.$/;

/** Before Redis 7, what stops a command of a script comes within an error of the script: `ERR Error running script (…): … -OOM …`. */
const OF_SCRIPT = /^ERR (?:Error running script [^]*?)?-(?=[A-Z]+ )/;

/** The words of a reply of Redis, from its code on. */
export const wordsOf = (message: string): string => message.replace(OF_SCRIPT, "");

/** Maps a failed call to the errors of the contract. `at` is the server's address, without its password. */
export function toStoreError(error: unknown, at: string, call: Call): StoreError {
  if (error instanceof StoreError) return error;
  const said = wordsOf(error instanceof Error ? error.message : String(error));
  const reply = said.replace(NO_REDIS, "Not a Redis server$1");
  const isReply = error instanceof Error && error.name === "ReplyError";
  const meaning =
    REPLIES.find(([pattern]) => pattern.test(reply))?.[1] ?? unanswered(reply, { isReply, call });
  const { code, retryable, remedy = "" } = meaning;
  const message = `Redis at ${at}: ${reply} ${remedy}`.trimEnd();
  return new StoreError(code, message, { cause: error, ...(retryable === undefined ? {} : { retryable }) });
}

function unanswered(reply: string, { isReply, call }: { isReply: boolean; call: Call }): Meaning {
  // Redis answers so to a script that meets what it did not write.
  if (isReply) return { code: "CORRUPT" };
  return { code: call === "commit" && !UNSENT.test(reply) ? "UNKNOWN_OUTCOME" : "UNAVAILABLE" };
}

/** An answer that this driver never wrote. */
export function corrupt(what: string): StoreError {
  return new StoreError("CORRUPT", `Redis contains data that was not written by this store: ${what}`);
}

export function toArray(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) throw corrupt("a reply that is not a list");
  return reply;
}
