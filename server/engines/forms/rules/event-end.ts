const HOURS = 2;

/** Default end of an event of which only the start is known: two hours later, on the same day. Times are `HH:MM`. */
export function endOf(start: string): string {
  const hour = Number(start.slice(0, 2)) + HOURS;
  return hour > 23 ? "23:59" : `${String(hour).padStart(2, "0")}${start.slice(2)}`;
}
