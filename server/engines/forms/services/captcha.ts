import { toInstant } from "../../../lib/instant.ts";
import { FORMS_TIMES } from "../data/limits.ts";
import { captchaSecrets } from "../repository.ts";
import type { CaptchaVerdict } from "../rules/judge-captcha.ts";
import { judgeCaptcha } from "../rules/judge-captcha.ts";
import type { SpamSignals } from "../rules/spam-score.ts";
import type { Captcha } from "../schema.ts";
import type { FormsWork } from "./work.ts";
import { mark } from "./work.ts";

/** A puzzle of ALTCHA (protocol version 1, as used by its widgets): a browser solves it in about a second. */
export interface Challenge {
  readonly algorithm: string;
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

const HARDNESS = 50_000;

const puzzleKey = ({ part, ports }: Pick<FormsWork, "part" | "ports">, formId: string): string =>
  ports.sign(`forms altcha ${part}`, formId);

export async function makeChallenge(
  work: Pick<FormsWork, "now" | "part" | "ports">,
  formId: string,
): Promise<Challenge> {
  const { createChallenge } = await import("altcha-lib/v1");
  const expires = toInstant(work.now + FORMS_TIMES.challengeMs);
  const made = await createChallenge({
    hmacKey: puzzleKey(work, formId),
    maxNumber: HARDNESS,
    expires: new Date(expires),
  });
  return { ...made, maxnumber: made.maxnumber ?? HARDNESS };
}

/** Verifies the solution of the form's captcha. A puzzle counts once; the other services ensure that themselves. */
export async function checkCaptcha(
  work: FormsWork,
  context: {
    readonly formId: string;
    readonly captcha: Captcha;
    readonly answer: string | undefined;
    readonly once: object;
  },
): Promise<SpamSignals["captcha"]> {
  const { answer, captcha, formId, once } = context;
  if (captcha === "none") return "not_asked";
  if (answer === undefined || answer === "") return "missing";
  if (captcha === "altcha") return checkPuzzle(work, formId, answer);
  return askOnce(once, () => askService(work, captcha, { answer, formId }));
}

async function checkPuzzle(work: FormsWork, formId: string, answer: string): Promise<"passed" | "failed"> {
  const { extractParams, verifySolution } = await import("altcha-lib/v1");
  const isSolved = await verifySolution(answer, puzzleKey(work, formId), false).catch(() => false);
  if (!isSolved) return "failed";
  // The library would use the system clock; the store may have a test clock.
  const expiresAtMs = Number(extractParams(answer)["expires"] ?? 0) * 1000;
  if (!(expiresAtMs > work.now)) return "failed";
  const isNew = await mark(work, "captcha", [answer], expiresAtMs);
  return isNew === null ? "failed" : "passed";
}

/** Cached verdicts by request: a transaction that conflicts runs again, but a token can be verified only once. */
const judged = new WeakMap<object, Promise<CaptchaVerdict>>();

function askOnce(once: object, ask: () => Promise<CaptchaVerdict>): Promise<CaptchaVerdict> {
  const cached = judged.get(once);
  if (cached !== undefined) return cached;
  const pending = ask();
  judged.set(once, pending);
  return pending;
}

/**
 * Action of a form's widget, so that a solution for one form is invalid for another. Turnstile allows 32 letters,
 * digits, `_`
 * and `-`; hCaptcha has no actions.
 */
export const captchaAction = (captcha: Captcha, formId: string): string | null =>
  captcha === "turnstile" ? formId : null;

const SERVICES = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  hcaptcha: "https://api.hcaptcha.com/siteverify",
} as const;
const TOKEN_CHARS_MAX = 2_048;

/** Calls a captcha service; a failure of the call is no judgement of the visitor. */
async function askService(
  { ports, settings, tx }: FormsWork,
  service: keyof typeof SERVICES,
  { answer, formId }: { readonly answer: string; readonly formId: string },
): Promise<CaptchaVerdict> {
  const secret = (await tx.get(captchaSecrets, "captcha"))?.value[service] ?? null;
  if (secret === null) return "unreachable";
  if (service === "turnstile" && answer.length > TOKEN_CHARS_MAX) return "failed";
  try {
    const response = await ports.post({
      url: SERVICES[service],
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ secret, response: answer }).toString(),
      timeoutMs: FORMS_TIMES.captchaTimeoutMs,
    });
    return judgeCaptcha(response, {
      hostnames: settings.captcha_hostnames,
      action: captchaAction(service, formId),
    });
  } catch {
    return "unreachable";
  }
}
