/** Limits of the engine: everything a customer can create has one. */
export const DELIVERY_LIMITS = {
  zones: 200,
  patternsPerZone: 4_000,
  patternsPerStore: 20_000,
  tiersPerZone: 50,
  windows: 200,
  zonesPerWindow: 50,
  locations: 100,
  /** Positions of a zone's area. */
  positionsPerArea: 1_000,
  itemsPerRequest: 100,
  capacity: 2_000,
  blockedDates: 1_000,
  /** Recurring blocked dates: each is expanded by its rule. */
  recurrences: 50,
  /** Blocked dates for parts of a day: each is compared with every slot. */
  partDays: 100,
  calendars: 20,
  /** Other documents that the deletion of one may change, in one commit. */
  linksPerRemoval: 90,
  eventsPerCalendar: 1_000,
  horizonDays: 60,
  holdSecondsMax: 7_200,
  /** Active holds of one IP address, with publishable keys: somebody who chooses may try several slots, and an office has one address. */
  visitorHolds: 10,
} as const;
