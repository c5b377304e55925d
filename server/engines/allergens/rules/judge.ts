import type { KnownAllergens } from "../../../core/known-allergens.ts";
import { avoidedWith, isFullyRegulated, isRelated, narrowerOf } from "./taxonomy.ts";
import type { ModeId } from "../data/modes.ts";

export type Verdict = "safe" | "unsafe" | "unknown";

export interface Because {
  readonly code: BecauseCode;
  readonly verdict: Verdict;
  readonly detail: string;
  /** The allergen or diet that was asked about; absent where it is about the whole. */
  readonly about?: string;
}

export const BECAUSE_CODES = [
  "not_found",
  "not_verified",
  "name_unresolved",
  "contains",
  "may_contain",
  "may_contain_tolerated",
  "kind_not_told",
  "not_regulated",
  "exempt_origin",
  "not_declared",
  "declared_free_from",
  "diet_claimed",
  "diet_not_claimed",
  "diet_conflict",
] as const;
export type BecauseCode = (typeof BECAUSE_CODES)[number];

export interface Wishes {
  readonly avoid: readonly string[];
  readonly diets: readonly string[];
  readonly tolerate: "may_contain" | "none";
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly because: readonly Because[];
}

/**
 * Whether something suits a guest. A record against it makes it unsafe, from any source; safe needs that
 * a person has verified the product now and that the absence of each avoided thing means something where it was looked
 * at. All else is unknown: never safe on a guess (invariant 1).
 */
export function judge(known: KnownAllergens | null, wishes: Wishes): Judgement {
  if (known === null) return conclude([because("not_found", "unknown", "No such product or menu item.")]);
  return conclude([
    ...(known.verified ? [] : [because("not_verified", "unknown", whyUnverified(known))]),
    ...wishes.avoid.flatMap((code) => judgeCode(known, code, wishes.tolerate)),
    ...wishes.diets.map((diet) => judgeDiet(known, diet)),
  ]);
}

function whyUnverified({ reasons = [] }: KnownAllergens): string {
  const details = reasons.flatMap(({ concerns, detail }) => (concerns === null ? [detail] : []));
  return details.length === 0 ? "It is not verified." : `It is not verified: ${details.join(" ")}`;
}

const because = (code: BecauseCode, verdict: Verdict, detail: string, about?: string): Because => ({
  code,
  verdict,
  detail,
  ...(about === undefined ? {} : { about }),
});

/** The worst of all: one reason against it is enough, and one open question keeps it from being safe. */
function conclude(reasons: readonly Because[]): Judgement {
  const has = (verdict: Verdict): boolean => reasons.some((reason) => reason.verdict === verdict);
  return { verdict: has("unsafe") ? "unsafe" : has("unknown") ? "unknown" : "safe", because: reasons };
}

function judgeCode(known: KnownAllergens, avoided: string, tolerate: Wishes["tolerate"]): Because[] {
  const wanted = avoidedWith(avoided);
  const facts = distinct(known.facts.filter(({ presence }) => presence !== "free_from"));
  const hits = facts
    .filter(({ code }) => wanted.has(code))
    .map(({ code, presence, exempt }) => {
      if (exempt) {
        const detail = `${code} is only the origin of an ingredient that need not be declared.`;
        return because("exempt_origin", "safe", detail, avoided);
      }
      if (presence === "contains") return because("contains", "unsafe", `It contains ${code}.`, avoided);
      return tolerate === "may_contain"
        ? because("may_contain_tolerated", "safe", `It may contain ${code}.`, avoided)
        : because("may_contain", "unsafe", `It may contain ${code}.`, avoided);
    });
  // "Nuts" may be the very almond that is avoided: the kind is unknown.
  const vague = facts
    .filter(({ code }) => !wanted.has(code) && isRelated(code, avoided))
    .map(({ code, presence }) =>
      tolerate === "may_contain" && presence === "may_contain"
        ? because("may_contain_tolerated", "safe", `It may contain ${code}.`, avoided)
        : because("kind_not_told", "unknown", `It names ${code} and not which kind.`, avoided),
    );
  const unresolved = (known.reasons ?? [])
    .filter(({ concerns }) => concerns !== null && isRelated(concerns, avoided))
    .map(({ detail }) => because("name_unresolved", "unknown", detail, avoided));
  const found = [...hits, ...vague, ...unresolved];
  if (found.some(({ verdict }) => verdict !== "safe")) return found;
  return [...found, ...judgeAbsence(known, avoided)];
}

/** Each code once, for the strongest reason: an ingredient that has to be declared before one that need not be. */
function distinct(facts: KnownAllergens["facts"]): KnownAllergens["facts"] {
  const rank = ({ presence, exempt }: KnownAllergens["facts"][number]): number =>
    exempt ? 0 : presence === "may_contain" ? 1 : 2;
  const strongest = new Map<string, KnownAllergens["facts"][number]>();
  for (const fact of facts) {
    const other = strongest.get(fact.code);
    if (other === undefined || rank(other) < rank(fact)) strongest.set(fact.code, fact);
  }
  return [...strongest.values()];
}

/** What it means that nothing was declared; nothing for a product that is not verified, which is unknown as a whole. */
function judgeAbsence(known: KnownAllergens, avoided: string): Because[] {
  const isFree = known.facts.some(
    ({ code, presence }) => presence === "free_from" && narrowerOf(code).has(avoided),
  );
  if (isFree) return [because("declared_free_from", "safe", `It is declared free from ${avoided}.`, avoided)];
  if (!known.verified) return [];
  const modes = known.complete_in.filter(isMode);
  const regulating = modes.find((mode) => isFullyRegulated(avoided, mode));
  if (regulating !== undefined) {
    const detail = `It was verified in ${regulating}, where ${avoided} must be declared, and is not.`;
    return [because("not_declared", "safe", detail, avoided)];
  }
  const detail =
    modes.length === 0
      ? `Its parts were not verified in one mode, so that ${avoided} may be in it.`
      : `It was verified in ${modes.join(", ")}, where ${avoided} need not be declared.`;
  return [because("not_regulated", "unknown", detail, avoided)];
}

const isMode = (text: string): text is ModeId => ["uk", "eu", "us", "ca", "au_nz"].includes(text);

function judgeDiet(known: KnownAllergens, diet: string): Because {
  const name = diet.replaceAll("_", " ");
  const [reason] = (known.reasons ?? []).filter(({ concerns }) => concerns === diet);
  const why = reason === undefined ? "" : ` ${reason.detail}`;
  if (known.unfit_for.includes(diet))
    return because("diet_conflict", "unsafe", `It is not ${name}.${why}`, diet);
  if (known.diets.includes(diet)) return because("diet_claimed", "safe", `It is claimed ${name}.`, diet);
  return because("diet_not_claimed", "unknown", `It is not claimed ${name}.${why}`, diet);
}
