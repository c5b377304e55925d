import type { EventType } from "../../../core/engine.ts";

const move = (from: string | null, to: string, cause: string) => ({
  move_id: "tmv_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  member_id: "mem_01JD8Z5T9QK3M4N5P6R7S8T9V1",
  from,
  to,
  on: "2026-06-01",
  cause,
});

/** What the engine tells of: every move of a member between levels. */
export const tierEvents: readonly EventType[] = [
  {
    type: "tiers.member.joined",
    summary: "A customer entered the programme.",
    example: move(null, "bronze", "activity"),
  },
  {
    type: "tiers.member.upgraded",
    summary: "A customer reached a higher level.",
    example: move("bronze", "silver", "activity"),
  },
  {
    type: "tiers.member.downgraded",
    summary: "A customer fell to a lower level.",
    example: move("silver", "bronze", "term_end"),
  },
  {
    type: "tiers.member.renewed",
    summary: "A customer keeps the level for another term.",
    example: move("silver", "silver", "term_end"),
  },
  {
    type: "tiers.member.grace_started",
    summary: "A customer keeps the level for a while after the term.",
    example: move("silver", "silver", "term_end"),
  },
  {
    type: "tiers.member.protected",
    summary: "A customer is kept from falling further.",
    example: move("gold", "silver", "term_end"),
  },
  {
    type: "tiers.member.recovered",
    summary: "A customer won back a level that was about to be lost.",
    example: move("silver", "silver", "activity"),
  },
  {
    type: "tiers.member.expiring",
    summary: "A level is about to be lost.",
    example: move("silver", "silver", "term_end"),
  },
  {
    type: "tiers.member.replaced",
    summary: "Another version of the programme put a customer on a level.",
    example: move("silver", "gold", "recalculation"),
  },
  {
    type: "tiers.member.override_set",
    summary: "A level was given by hand.",
    example: move("silver", "gold", "manual"),
  },
  {
    type: "tiers.member.override_ended",
    summary: "A level that was given by hand ended.",
    example: move("gold", "silver", "manual"),
  },
  {
    type: "tiers.member.rolled_back",
    summary: "A recalculation was taken back.",
    example: move("gold", "silver", "rollback"),
  },
];
