import { z } from "zod";

/** What Turnstile and hCaptcha answer to `siteverify`. */
const Answer = z.object({
  success: z.boolean(),
  hostname: z.string().optional(),
  "error-codes": z.array(z.string()).optional(),
});

/**
 * What the answer of a captcha service comes to. One that cannot be read, and one that complains about the shop's own
 * secret, is no judgement of the visitor: the submission goes to quarantine, where somebody looks at it.
 */
export function judgeCaptcha(
  answer: { readonly status: number; readonly body: string },
  hostnames: readonly string[],
): "passed" | "failed" | "unreachable" {
  const read = answer.status === 200 ? Answer.safeParse(parse(answer.body)).data : undefined;
  if (read === undefined) return "unreachable";
  const codes = read["error-codes"] ?? [];
  if (codes.some((code) => NOT_THE_VISITOR.has(code))) return "unreachable";
  if (!read.success) return "failed";
  const isElsewhere = hostnames.length > 0 && !hostnames.includes(read.hostname ?? "");
  return isElsewhere ? "failed" : "passed";
}

const NOT_THE_VISITOR = new Set([
  "missing-input-secret",
  "invalid-input-secret",
  "bad-request",
  "internal-error",
  "sitekey-secret-mismatch",
]);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
