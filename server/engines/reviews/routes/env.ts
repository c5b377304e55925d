import { z } from "zod";

import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { checkFormToken, formSigner, spendFormToken } from "../../../core/form-token.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Ctx } from "../../../core/route.ts";
import { LanguageTag } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { attributeDefinitions, attributeId, statsId } from "../repository.ts";
import type { FormVerdict } from "../rules/score-risk.ts";
import type { Target } from "../schema/parts.ts";
import type { Settings } from "../schema/settings.ts";
import type { Voter } from "../services/ballots.ts";

export const badState = conflictWhen("invalid_transition", "The status does not allow this");
export const FormTokenText = z.string().max(1024).meta({
  description:
    "From POST /v1/reviews/tokens for this target; submissions without one are considered less trustworthy",
});

export const OwnLocale = LanguageTag.optional().meta({ description: "Default: the language of the store" });

/**
 * Identifies a visitor for actions allowed once: by the store's own id, or by IP address alone, since a client can send any browser's
 * name; for IPv6 by the /48, of which one person has all addresses.
 */
export function voterOf(ctx: Ctx, visitorId: string | undefined): Voter {
  if (!ctx.isPublic) return { visitor: namedKey(visitorId), isNamed: true };
  return { visitor: sha256Hex(`seen ${ctx.visitor().network_hash}`), isNamed: false };
}

function namedKey(visitorId: string | undefined): string {
  if (visitorId !== undefined) return sha256Hex(`id ${visitorId}`);
  throw invalidField(["visitor_id"], "Required with a secret key: the store's own id of the visitor.");
}

const FAST_S = 5;
const STALE_S = 2 * 3600;

/** The evaluation of a form token; with a secret key no token is required. */
export async function judgeForm(
  ctx: Ctx,
  target: Target,
  text: string | undefined,
): Promise<FormVerdict | null> {
  if (!ctx.isPublic) return null;
  if (text === undefined || text === "") return "missing";
  const { verdict, token } = checkFormToken(text, {
    form: statsId(target),
    origin: ctx.visitor().origin,
    // Forms are shown and sent in real time, even if test data has its own clock.
    now: ctx.ports.realNow(),
    sign: formSigner(ctx.ports, ctx.tx.part),
  });
  if (token === null || verdict === "expired") return "bad";
  if (!(await spendFormToken(ctx.tx, token))) return "bad";
  if (verdict === "too_fast") return "too_fast";
  const age = Math.floor(ctx.ports.realNow() / 1000) - token.iat;
  if (age < FAST_S) return "fast";
  return age > STALE_S ? "stale" : "ok";
}

/** Refuses fields that only the store's own server may set. */
export function refuseFromPublic(ctx: Ctx, members: Readonly<Record<string, unknown>>): void {
  if (!ctx.isPublic) return;
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || value === null) continue;
    throw invalidField(name.split("."), "Only allowed with a secret key.");
  }
}

/** Splits the answers to custom attributes into countable ones and texts; 422 for invalid ones. */
export async function readAnswers(
  tx: Tx,
  input: Readonly<Record<string, string | number>>,
  type: Target["type"],
): Promise<{ attributes: Record<string, string | number>; remarks: Record<string, string> }> {
  const attributes: Record<string, string | number> = {};
  const remarks: Record<string, string> = {};
  for (const [key, value] of Object.entries(input)) {
    const definition = (await tx.get(attributeDefinitions, attributeId(key)))?.value ?? null;
    const isAsked =
      definition !== null &&
      !definition.archived &&
      (definition.applies_to.length === 0 || definition.applies_to.includes(type));
    if (!isAsked) throw invalidField(["attributes", key], "The store has no attribute with this key.");
    if (definition.type === "scale") {
      if (typeof value !== "number" || value < 1 || value > 5) {
        throw invalidField(["attributes", key], "Expected a whole number from 1 to 5.");
      }
      attributes[key] = value;
    } else if (typeof value !== "string") throw invalidField(["attributes", key], "Expected a string.");
    else if (definition.type === "text") remarks[key] = value;
    else if (definition.options.includes(value)) attributes[key] = value;
    else throw invalidField(["attributes", key], `Expected one of ${definition.options.join(", ")}.`);
  }
  return { attributes, remarks };
}

/** Images and videos must be on allowed hosts: 422 for any other host. */
export function checkMediaHost(
  url: string,
  { media_hosts: hosts }: Settings,
  path: readonly (string | number)[],
): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" && hosts.includes(hostname)) return;
  throw invalidField(
    path,
    hosts.length === 0
      ? "The store does not accept media. Add hosts to `media_hosts` in the settings first."
      : `Expected an https URL on ${hosts.join(", ")}.`,
    "media_host_not_allowed",
  );
}
