import { createHash, randomUUID } from "node:crypto";

import type { Bucket, StoredObject } from "./s3-bucket.ts";

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

const uploads = new WeakMap<Bucket, Map<string, Upload>>();

const of = (bucket: Bucket): Map<string, Upload> => {
  const known = uploads.get(bucket) ?? new Map<string, Upload>();
  uploads.set(bucket, known);
  return known;
};

export function beginUpload(bucket: Bucket, key: string): string {
  const id = randomUUID();
  of(bucket).set(id, { key, parts: new Map() });
  return id;
}

/** The ETag of the part; null where there is no such upload. */
export function putPart(
  bucket: Bucket,
  { uploadId = "", partNumber = "" }: Readonly<Record<string, string>>,
  body: Buffer,
): string | null {
  const upload = of(bucket).get(uploadId);
  upload?.parts.set(Number(partNumber), body);
  return upload === undefined ? null : md5(body);
}

/** Joins the parts of the list in its order; null where one is missing, has another ETag or is out of order. */
export function completeUpload(
  bucket: Bucket,
  { uploadId = "" }: Readonly<Record<string, string>>,
  { list, nowMs }: { readonly list: string; readonly nowMs: number },
): StoredObject | null {
  const upload = of(bucket).get(uploadId);
  const listed = [...list.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"<\/ETag><\/Part>/g)];
  if (upload === undefined || listed.length === 0) return null;
  const parts: Buffer[] = [];
  for (const [index, [, number, etag]] of listed.entries()) {
    const part = upload.parts.get(Number(number));
    if (part === undefined || md5(part) !== etag || Number(number) !== index + 1) return null;
    parts.push(part);
  }
  of(bucket).delete(uploadId);
  return bucket.put(upload.key, Buffer.concat(parts), nowMs);
}

export const abortUpload = (bucket: Bucket, uploadId: string): boolean => of(bucket).delete(uploadId);

export const openUploads = (bucket: Bucket): number => of(bucket).size;

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("hex");
