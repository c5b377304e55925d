/** A place in a bucket, without credentials. */
export interface S3Place {
  readonly bucket: string;
  readonly prefix?: string;
  readonly region?: string;
  readonly endpoint?: string;
}

export const S3_URL = "s3://bucket/prefix?endpoint=…&region=…";

/** `s3://bucket/prefix?endpoint=…&region=…`; null for anything else, credentials included. */
export function parseS3Url(text: string): S3Place | null {
  if (!URL.canParse(text)) return null;
  const { protocol, username, password, hostname, pathname, searchParams, hash } = new URL(text);
  const isPlain = username === "" && password === "" && hash === "";
  if (protocol !== "s3:" || !isPlain || hostname === "") return null;
  if ([...searchParams.keys()].some((name) => name !== "region" && name !== "endpoint")) return null;
  const prefix = pathname.replace(/^\/+|\/+$/g, "");
  const region = searchParams.get("region");
  const endpoint = searchParams.get("endpoint");
  return {
    bucket: hostname,
    ...(prefix === "" ? {} : { prefix }),
    ...(region === null ? {} : { region }),
    ...(endpoint === null ? {} : { endpoint }),
  };
}
