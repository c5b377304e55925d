import type { StoreMail } from "../../../core/store-mail.ts";
import { addDays } from "../../../lib/local-time.ts";
import type { Words } from "../../../core/words.ts";
import { showGap } from "../rules/show.ts";
import type { Rules } from "../schema/programme.ts";
import type { Move, Standing } from "../schema/standing.ts";
import type { CustomerAggregate, Member } from "../schema.ts";

interface MailContext {
  readonly member: Member;
  readonly aggregate: Pick<CustomerAggregate, "tier" | "retain">;
  readonly rules: Rules;
  readonly words: Words;
  /** The member's level before this evaluation. */
  readonly before: Standing | null;
}

/** The mail for a move; null if there is none, the address is unknown, or the store has disabled mail. */
export function mailOf(
  move: Move,
  { member, aggregate, rules, words, before }: MailContext,
): Pick<StoreMail, "to" | "template" | "data"> | null {
  const { email } = member;
  const { mail } = rules;
  const level = rules.levels.find(({ id }) => id === move.to);
  if (!mail.send || email === null || level === undefined) return null;
  const common = {
    shop_name: mail.shop_name,
    shop_url: mail.shop_url,
    customer_name: member.name,
    programme: rules.name,
    level: level.name,
  };
  const { tier } = aggregate;
  if (move.kind === "downgraded" && move.cause === "term_end") {
    // Only the final result counts: a member retained on the way down is notified of the remaining level.
    const from = rules.levels.find(({ id }) => id === before?.level_id);
    if (from === undefined || tier.state === "manual" || tier.rank >= from.rank) return null;
    return {
      to: email,
      template: "tier-down",
      data: { ...common, level: tier.name, level_before: from.name },
    };
  }
  if (move.kind === "upgraded" && tier.level_id === move.to) {
    if (before !== null && before.rank >= tier.rank) return null;
    const { expires_on: expires } = aggregate.tier;
    const benefits = level.benefits.map(({ title }) => title);
    const held_through = expires === null ? "" : words.date(addDays(expires, -1));
    return { to: email, template: "tier-up", data: { ...common, benefits, held_through } };
  }
  if (move.kind !== "expiring" && move.kind !== "grace_started") return null;
  const { retain } = aggregate;
  // A member with a manual override loses nothing at the end of the term.
  if (retain === null || tier.state === "manual" || tier.level_id !== move.to) return null;
  const missing = showGap(
    words,
    move.evidence.filter(({ met }) => !met),
    rules.currency,
  );
  const data = {
    ...common,
    missing,
    last_day: words.date(addDays(retain.by, -1)),
    in_grace: tier.state === "grace",
  };
  return { to: email, template: "tier-at-risk", data };
}
