/** Addresses of calendars as programs give them out. */
const CALENDAR_SCHEME = /^webcals?:/i;

/**
 * The address of a calendar as it is fetched; null for one that is not. It is as good as a password, so it travels by
 * https only, and brings no other password with it.
 */
export function readFeedUrl(text: string): URL | null {
  const plain = text.trim().replace(CALENDAR_SCHEME, "https:");
  if (!URL.canParse(plain)) return null;
  const url = new URL(plain);
  return isSecure(url) ? url : null;
}

export const isSecure = ({ password, protocol, username }: URL): boolean =>
  protocol === "https:" && username === "" && password === "";

const FETCH_MINUTES = 15;
const WAIT_MINUTES_MAX = 360;

/** Milliseconds until a calendar is asked again: four times an hour, and less often while it fails. */
export const feedPause = (failures: number): number =>
  Math.min(FETCH_MINUTES * 2 ** Math.min(failures, 10), failures === 0 ? FETCH_MINUTES : WAIT_MINUTES_MAX) *
  60_000;
