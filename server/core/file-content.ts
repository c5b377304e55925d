import { z } from "zod";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Content of a file in a body: base64 in JSON, the bytes themselves in a multipart form. Base64 of a large file would occupy the event
 * loop three times: when it is written, when it is checked and when it is read.
 */
export const FileContent = z
  .unknown()
  .superRefine((value, context) => {
    if (value instanceof Uint8Array) return;
    if (typeof value !== "string") {
      context.addIssue({ code: "invalid_type", expected: "string", input: value, continue: false });
    } else if (!BASE64.test(value)) {
      context.addIssue({ code: "custom", message: "Expected base64.", continue: false });
    }
  })
  .meta({
    type: "string",
    pattern: BASE64.source,
    description: "Content of the file",
    contentEncoding: "base64",
  })
  .transform((value): Uint8Array => {
    if (value instanceof Uint8Array) return value;
    return Buffer.from(typeof value === "string" ? value : "", "base64");
  });
