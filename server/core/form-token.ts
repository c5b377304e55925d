import { z } from "zod";

import { toInstant } from "../lib/instant.ts";
import { defineCollection, timeOrder } from "./collection.ts";
import { equalSecrets } from "./ids.ts";
import type { Ports } from "./ports.ts";
import { Id, Instant } from "./schema.ts";
import type { Tx } from "./tx.ts";

/** What a form token says. The names are short because the token travels in every page that shows the form. */
const FormToken = z.strictObject({
  /** Id of the form, or of the product that is reviewed. */
  f: Id,
  /** Version of the form that the page shows. */
  v: z.int().nonnegative(),
  /** Origin of the page; empty where the issuer does not know. */
  o: z.string().max(300),
  /** Epoch seconds at which it was minted. */
  iat: z.int().nonnegative(),
  /** Makes the token one of a kind, so that it can be spent once. */
  n: z.string().regex(/^[A-Za-z0-9_-]{6,64}$/),
});
export type FormToken = z.output<typeof FormToken>;

/** Creates a signature of 43 characters of base64url that cannot be forged. */
export type Sign = (text: string) => string;

/** A person needs at least so long to fill a form in. */
const FORM_TOKEN_MIN_AGE_S = 3;
/** A page may stay open for a day. */
export const FORM_TOKEN_MAX_AGE_S = 86_400;
const TOKEN_CHARS_MAX = 1_024;

/**
 * A form token: `b64url(JSON).b64url(HMAC-SHA256)` (engines/common.md §0.3). It shows when a page was made, for which form
 * and version, and can be used once. It is a signal to weigh, not a proof of who sends the form.
 */
export function mintFormToken(token: FormToken, sign: Sign): string {
  // The members in this order whatever order they come in: the same token is the same text.
  const { f, v, o, iat, n } = FormToken.parse(token);
  const text = Buffer.from(JSON.stringify({ f, v, o, iat, n }), "utf8").toString("base64url");
  return `${text}.${sign(text)}`;
}

export type FormTokenCheck =
  | { readonly verdict: "ok" | "too_fast" | "expired"; readonly token: FormToken }
  /** Not signed here, or minted for another form or another origin than the one that sends it. */
  | { readonly verdict: "bad"; readonly token: null };

/**
 * Judges a token as it came. `now` is epoch milliseconds; `origin` is that of the request, null where it has none. Whether
 * it was used before is for `spendFormToken` to say.
 */
export function checkFormToken(
  text: string,
  about: {
    readonly form: string;
    readonly origin: string | null;
    readonly now: number;
    readonly sign: Sign;
  },
): FormTokenCheck {
  const token = open(text, about.sign);
  if (token === null || token.f !== about.form) return { verdict: "bad", token: null };
  const isElsewhere = token.o !== "" && about.origin !== null && about.origin !== token.o;
  if (isElsewhere) return { verdict: "bad", token: null };
  const age = Math.floor(about.now / 1000) - token.iat;
  if (age > FORM_TOKEN_MAX_AGE_S) return { verdict: "expired", token };
  return { verdict: age < FORM_TOKEN_MIN_AGE_S ? "too_fast" : "ok", token };
}

/** What `mintFormToken` and `checkFormToken` sign with: a token of one store, or of its test data, is bad in another. */
export const formSigner =
  ({ sign }: Pick<Ports, "sign">, part: string): Sign =>
  (text) =>
    sign(`form token ${part}`, text);

/** Nonces of tokens that were used, until the tokens expire. */
export const formNonces = defineCollection({
  name: "kernel.form_nonces",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), expires_at: Instant }),
  indexes: { due: { values: () => [""], order: ({ expires_at }) => timeOrder(expires_at) } },
});

/**
 * Uses a token up, in the commit of what it was sent with. False when it was used before (a replay): of two requests with
 * one token at the same time, one sees the other.
 */
export async function spendFormToken(tx: Tx, token: FormToken): Promise<boolean> {
  if ((await tx.get(formNonces, token.n)) !== null) return false;
  // One second more than the token is good for: it is refused from the next whole second on.
  const expiresAtMs = (token.iat + FORM_TOKEN_MAX_AGE_S + 1) * 1000;
  tx.create(formNonces, { id: token.n, expires_at: toInstant(expiresAtMs) });
  return true;
}

function open(text: string, sign: Sign): FormToken | null {
  if (text.length > TOKEN_CHARS_MAX) return null;
  const [payload = "", signature = "", ...more] = text.split(".");
  if (payload === "" || more.length > 0 || !equalSecrets(sign(payload), signature)) return null;
  try {
    const json: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return FormToken.safeParse(json).data ?? null;
  } catch {
    return null;
  }
}
