import { z } from "zod";

/** What Turnstile and hCaptcha answer to `siteverify`. */
const Answer = z.object({
  success: z.boolean(),
  hostname: z.string().optional(),
  action: z.string().optional(),
  "error-codes": z.array(z.string()).optional(),
});

export type CaptchaVerdict = "passed" | "failed" | "unreachable" | "other_form";

/** Where an answer may have been given. */
export interface Asked {
  /** Hosts of the shop's pages; every host where none is named. */
  readonly hostnames: readonly string[];
  /** What the widget of the form was named, as Turnstile repeats it; null where the service knows no such thing. */
  readonly action: string | null;
}

/**
 * What the answer of a captcha service comes to (developers.cloudflare.com/turnstile/get-started/server-side-validation). One that cannot be read, and one that complains about the shop's own
 * secret, is no judgement of the visitor, and neither is one that was given to the widget of another form, or to one without
 * a name: the submission goes to quarantine, where somebody looks at it.
 */
export function judgeCaptcha(
  answer: { readonly status: number; readonly body: string },
  { action, hostnames }: Asked,
): CaptchaVerdict {
  const read = answer.status === 200 ? Answer.safeParse(parse(answer.body)).data : undefined;
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
