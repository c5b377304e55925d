const HOURS = 2;

/** When an event ends of which only the beginning is known: two hours later, on the same day. Times are `HH:MM`. */
export function endOf(start: string): string {
  const hour = Number(start.slice(0, 2)) + HOURS;
  return hour > 23 ? "23:59" : `${String(hour).padStart(2, "0")}${start.slice(2)}`;
}
