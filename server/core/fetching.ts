import { OutgoingError } from "./ports.ts";
import type { FetchedAnswer, OutgoingGet, Ports } from "./ports.ts";

export interface FollowedAnswer {
  /** The last answer: no redirect, unless there were too many. */
  readonly answer: FetchedAnswer;
  /** Addresses that were asked, in order; the last one gave the answer. */
  readonly hops: readonly string[];
}

/**
 * A GET that follows redirects, each hop under the guard of `ports.fetch`. Throws `OutgoingError` when a hop may not be
 * asked or gives no answer; after `redirectsMax` the redirect itself is the answer.
 */
export async function fetchFollowing(
  fetch: Ports["fetch"],
  request: OutgoingGet,
  redirectsMax = 3,
): Promise<FollowedAnswer> {
  const hops = [request.url];
  let answer = await fetch(request);
  while (answer.location !== null && hops.length <= redirectsMax) {
    if (hops.includes(answer.location)) {
      throw new OutgoingError("unknown", `${request.url} redirects in a loop.`);
    }
    hops.push(answer.location);
    answer = await fetch({ ...request, url: answer.location, headers: sameSite(request, answer.location) });
  }
  return { answer, hops };
}

/** Whether the budget of the customer refused a request, which says nothing of the other server: it is sent once that renews. */
export const isOverBudget = (error: unknown): boolean =>
  error instanceof OutgoingError && error.renewsAtMs !== null;

/** Headers that were meant for one host are not sent to another. */
function sameSite({ url, headers = {} }: OutgoingGet, next: string): Readonly<Record<string, string>> {
  if (new URL(url).host === new URL(next).host) return headers;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)),
  );
}
