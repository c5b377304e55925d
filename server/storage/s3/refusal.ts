import { toInstant } from "../../lib/instant.ts";
import { StoreError } from "../contract.ts";
import type { S3Answer } from "./transport.ts";
import { childText, parseXml } from "./xml.ts";

export interface Refusal {
  /** The server's own code, such as `NoSuchBucket`; "" when it sent none. */
  readonly code: string;
  readonly error: StoreError;
}

const KEYS = "invalid access key id or secret access key";
const CLOCKS = "the clocks of this machine and the server differ too much. Synchronise the clock";
const ELSEWHERE = "the bucket has another endpoint or region";

/** What an operator has to do about a refusal, by the server's code. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoSuchBucket: "the bucket does not exist. Create it, or correct its name",
  InvalidBucketName: "invalid bucket name",
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: KEYS,
  AccessDenied:
    "access denied. The access key must be allowed to list the bucket and to get, put and delete objects",
  ExpiredToken: "the session token has expired",
  InvalidToken: "invalid session token",
  RequestTimeTooSkewed: CLOCKS,
  RequestExpired: CLOCKS,
  AuthorizationHeaderMalformed: "the region is wrong",
  PermanentRedirect: ELSEWHERE,
  IllegalLocationConstraintException: ELSEWHERE,
};

const FULL: Readonly<Record<string, string>> = {
  QuotaExceeded: "quota exceeded",
  XMinioStorageFull: "no disk space left on the server",
  InsufficientStorage: "no disk space left on the server",
};

/** What an answer that is no success means, as the error to throw. */
export function refusalOf({ status, body, dateMs }: S3Answer): Refusal {
  const { code, said, region } = readError(body);
  const meaning = REFUSALS[code] ?? byStatus(status);
  const full = FULL[code];
  const details = [
    `${status} ${code}`.trimEnd(),
    ...(said === "" ? [] : [said]),
    ...(region === "" ? [] : [`the server expects region ${region}`]),
    ...(meaning === CLOCKS && !Number.isNaN(dateMs) ? [`server time ${toInstant(dateMs)}`] : []),
  ];
  const message = `${full ?? meaning ?? "the server rejected the request"} (${details.join("; ")})`;
  if (full !== undefined) return { code, error: new StoreError("FULL", message) };
  // What has a meaning would be refused again too; at the start it is a mistake of the configuration.
  return { code, error: new StoreError("UNAVAILABLE", message, { retryable: meaning === undefined }) };
}

/** For servers and proxies that send no code of their own. */
function byStatus(status: number): string | undefined {
  if (status === 401 || status === 403) return KEYS;
  return status >= 300 && status < 400 ? ELSEWHERE : undefined;
}

/** Some refusals have no body (304, 412 of some servers), and a proxy in between answers a page of its own. */
function readError(body: string): { code: string; said: string; region: string } {
  if (!body.includes("<Error>")) return { code: "", said: "", region: "" };
  try {
    const error = parseXml(body);
    return {
      code: childText(error, "Code"),
      said: childText(error, "Message"),
      region: childText(error, "Region"),
    };
  } catch {
    return { code: "", said: "", region: "" };
  }
}
