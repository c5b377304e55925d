import { z } from "zod";
import { parseJson } from "../../../lib/parse-json.ts";

/** Response of Turnstile and hCaptcha to `siteverify`. */
const Answer = z.object({
  success: z.boolean(),
  hostname: z.string().optional(),
  action: z.string().optional(),
  "error-codes": z.array(z.string()).optional(),
});

export type CaptchaVerdict = "passed" | "failed" | "unreachable" | "other_form";

/** Constraints on the origin of a solution. */
export interface CaptchaConstraints {
  /** Hosts of the store's pages. Empty: every host. */
  readonly hostnames: readonly string[];
  /** Action of the form's widget, which Turnstile returns; null if the service does not support it. */
  readonly action: string | null;
}

/**
 * Evaluates the response of a captcha service
 * (developers.cloudflare.com/turnstile/get-started/server-side-validation). An invalid response, an error about the
 * store's own
 * secret, and a solution for another form's widget or without an action are no judgement of the visitor:
 * the submission is quarantined for review.
 */
export function judgeCaptcha(
  answer: { readonly status: number; readonly body: string },
  { action, hostnames }: CaptchaConstraints,
): CaptchaVerdict {
  const read = answer.status === 200 ? Answer.safeParse(parseJson(answer.body)).data : undefined;
  if (read === undefined) return "unreachable";
  const codes = read["error-codes"] ?? [];
  if (codes.some((code) => NOT_THE_VISITOR.has(code))) return "unreachable";
  if (!read.success) return "failed";
  const isElsewhere = hostnames.length > 0 && !hostnames.includes(read.hostname ?? "");
  if (isElsewhere) return "failed";
  return action === null || read.action === action ? "passed" : "other_form";
}

const NOT_THE_VISITOR = new Set([
  "missing-input-secret",
  "invalid-input-secret",
  "bad-request",
  "internal-error",
  "sitekey-secret-mismatch",
]);
