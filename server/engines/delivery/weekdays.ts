/** Days of the week as they stand on the wire, Monday first (ISO 8601). */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
