import { toInstant } from "../../lib/instant.ts";
import { StoreError } from "../contract.ts";
import type { S3Answer } from "./transport.ts";
import { childText, parseXml } from "./xml.ts";

export interface Refusal {
  /** The server's own code, such as `NoSuchBucket`; "" when it sent none. */
  readonly code: string;
  readonly error: StoreError;
}

const KEYS = "the access key or its secret is wrong";
const CLOCKS = "the clock of this machine and that of the server are too far apart: set the clock";
const ELSEWHERE = "the bucket is at another endpoint or in another region";

/** What an operator has to do about a refusal, by the server's code. */
const REFUSALS: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket: create it, or mend its name",
  InvalidBucketName: "this is no name of a bucket",
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: KEYS,
  AccessDenied:
    "the access key may not do this: it must list the bucket, and get, put and delete its objects",
  ExpiredToken: "the session token has expired",
  InvalidToken: "the session token is not valid",
  RequestTimeTooSkewed: CLOCKS,
  RequestExpired: CLOCKS,
  AuthorizationHeaderMalformed: "the region is wrong",
  PermanentRedirect: ELSEWHERE,
  IllegalLocationConstraintException: ELSEWHERE,
};

const FULL: Readonly<Record<string, string>> = {
  QuotaExceeded: "the quota is used up",
  XMinioStorageFull: "the server's disks are full",
  InsufficientStorage: "the server's disks are full",
};

/** What an answer that is no success means, as the error to throw. */
export function refusalOf({ status, body, dateMs }: S3Answer): Refusal {
  const { code, told, region } = readError(body);
  const meaning = REFUSALS[code] ?? byStatus(status);
  const full = FULL[code];
  const details = [
    `${status} ${code}`.trimEnd(),
    ...(told === "" ? [] : [told]),
    ...(region === "" ? [] : [`the server expects region ${region}`]),
    ...(meaning === CLOCKS && !Number.isNaN(dateMs) ? [`the server's says ${toInstant(dateMs)}`] : []),
  ];
  const message = `${full ?? meaning ?? "the server refuses the request"} (${details.join("; ")})`;
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
function readError(body: string): { code: string; told: string; region: string } {
  if (!body.includes("<Error>")) return { code: "", told: "", region: "" };
  try {
    const error = parseXml(body);
    return {
      code: childText(error, "Code"),
      told: childText(error, "Message"),
      region: childText(error, "Region"),
    };
  } catch {
    return { code: "", told: "", region: "" };
  }
}
