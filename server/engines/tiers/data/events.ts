import type { EventType } from "../../../core/engine.ts";

const move = (from: string | null, to: string, cause: string) => ({
  move_id: "tmv_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  member_id: "tcu_01JD8Z5T9QK3M4N5P6R7S8T9V1",
  from,
  to,
  on: "2026-06-01",
  cause,
});

/** Events of the engine: every move of a member between levels. */
export const tierEvents: readonly EventType[] = [
  {
    type: "tiers.member.joined",
    summary: "A customer joined the programme.",
    example: move(null, "bronze", "activity"),
  },
  {
    type: "tiers.member.upgraded",
    summary: "A customer reached a higher level.",
    example: move("bronze", "silver", "activity"),
  },
  {
    type: "tiers.member.downgraded",
    summary: "A customer dropped to a lower level.",
    example: move("silver", "bronze", "term_end"),
  },
  {
    type: "tiers.member.renewed",
    summary: "A customer's level was renewed for another term.",
    example: move("silver", "silver", "term_end"),
  },
  {
    type: "tiers.member.grace_started",
    summary: "A customer's term ended and the grace period started; the level remains.",
    example: move("silver", "silver", "term_end"),
  },
  {
    type: "tiers.member.protected",
    summary: "A customer was protected from dropping further.",
    example: move("gold", "silver", "term_end"),
  },
  {
    type: "tiers.member.recovered",
    summary: "A customer requalified for a level that was about to be lost.",
    example: move("silver", "silver", "activity"),
  },
  {
    type: "tiers.member.expiring",
    summary: "A customer is about to lose a level.",
    example: move("silver", "silver", "term_end"),
  },
  {
    type: "tiers.member.replaced",
    summary: "A new version of the programme moved a customer to a level.",
    example: move("silver", "gold", "recalculation"),
  },
  {
    type: "tiers.member.override_set",
    summary: "A customer's level was overridden manually.",
    example: move("silver", "gold", "manual"),
  },
  {
    type: "tiers.member.override_ended",
    summary: "A manual override of a customer's level ended.",
    example: move("gold", "silver", "manual"),
  },
  {
    type: "tiers.member.rolled_back",
    summary: "A recalculation was rolled back.",
    example: move("gold", "silver", "rollback"),
  },
];
