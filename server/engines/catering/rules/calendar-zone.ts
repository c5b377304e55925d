import { findIana } from "windows-iana";

import { isTimeZone } from "../../../lib/local-time.ts";

/**
 * The IANA zone of a calendar's TZID; null when it is unknown. A name of the IANA list counts, also behind a
 * path as Mozilla and libical write it; else a Windows name as Outlook and Exchange write it, with or without the
 * number that Outlook puts behind a zone that it met before.
 */
export function zoneOf(tzid: string): string | null {
  const name = tzid.trim().replaceAll(/^"|"$/g, "");
  const tail = name.split("/").slice(-2).join("/");
  const candidates = [name, name.startsWith("/") ? tail : name];
  const known = candidates.find((candidate) => isTimeZone(candidate));
  if (known !== undefined) return known;
  const windows = name.replace(/ \d$/, "");
  return findIana(windows)[0] ?? null;
}
