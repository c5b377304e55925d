/**
 * The UK profile: Digital Markets, Competition and Consumers Act 2024, Part 4 Chapter 2 (subscription contracts; expected
 * in force in spring 2027, details in regulations that are not final). Everything that regulations may still move
 * is listed here.
 */
export const UK_DMCC = {
  /** Cooling-off after the start, after a trial or an introductory price, and after a renewal for a year or more. */
  coolingOffDays: 14,
  /** The notice before a trial becomes paid, and before a renewal for a year or more. */
  renewalNoticeDays: 14,
  trialNoticeDays: 3,
  /** Other contracts are reminded this often. */
  reminderMonths: 6,
  /** Cycles of this many months count as long. */
  longCycleMonths: 12,
} as const;
