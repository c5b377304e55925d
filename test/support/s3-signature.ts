import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who may sign requests, and for where. */
export interface Signer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export interface SignatureFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const SKEW_MAX_MS = 15 * 60_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Checks a request as S3 does (Signature Version 4, by its published steps); null when it is signed rightly. */
export function findSignatureFault(
  request: IncomingMessage,
  body: Buffer,
  { signer, nowMs }: { readonly signer: Signer; readonly nowMs: number },
): SignatureFault | null {
  const found = AUTHORIZATION.exec(request.headers.authorization ?? "");
  if (found === null) return fault(403, "AccessDenied", "no signature, or none of version 4");
  const [, accessKeyId = "", day = "", region = "", signedHeaders = "", signature = ""] = found;
  if (accessKeyId !== signer.accessKeyId) return fault(403, "InvalidAccessKeyId", "no such access key");
  if (region !== signer.region)
    return fault(
      400,
      "AuthorizationHeaderMalformed",
      `the region '${region}' is wrong; expecting '${signer.region}'`,
    );
  const stamp = header(request, "x-amz-date");
  const signedMs = Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(signedMs - nowMs) <= SKEW_MAX_MS) || !stamp.startsWith(day))
    return fault(403, "RequestTimeTooSkewed", "the request time and the current time differ too much");
  const payload = header(request, "x-amz-content-sha256");
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(body))
    return fault(400, "XAmzContentSHA256Mismatch", "the body is not the one that was signed");
  const names = signedHeaders.split(";");
  if (!names.includes("host") || !everyAmzHeader(request).every((name) => names.includes(name)))
    return fault(403, "AccessDenied", "there were headers present in the request which were not signed");
  const canonical = [
    request.method,
    ...canonicalUrl(request.url ?? "/"),
    ...headersOf(request, names),
    payload,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", stamp, scope, sha256(Buffer.from(canonical))].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, step) => hmac(secret, step),
    `AWS4${signer.secretAccessKey}`,
  );
  return timingSafeEqual(hmac(key, text), Buffer.from(signature, "hex"))
    ? null
    : fault(403, "SignatureDoesNotMatch", "the signature does not match");
}

const fault = (status: number, code: string, message: string): SignatureFault => ({ status, code, message });
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const header = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? "");
const everyAmzHeader = (request: IncomingMessage): string[] =>
  Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));

function headersOf(request: IncomingMessage, names: readonly string[]): string[] {
  const lines = names.map((name) => `${name}:${header(request, name).trim().replace(/ +/g, " ")}`);
  return [...lines, "", names.join(";")];
}

/** Path and query, decoded and encoded again by the one rule of the signature: all but A-Z a-z 0-9 - . _ ~. */
function canonicalUrl(url: string): [path: string, query: string] {
  const { pathname, searchParams } = new URL(url, "http://host");
  const path = pathname.split("/").map((segment) => encode(decodeURIComponent(segment)));
  const pairs = [...searchParams].map(([name, value]) => [encode(name), encode(value)] as const);
  const query = pairs
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");
  return [path.join("/"), query];
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
