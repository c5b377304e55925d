interface Robots {
  isAllowed(url: string, agent?: string): boolean | undefined;
}

/** Whether a robots.txt allows a crawler; everything that is not mentioned is allowed. */
export async function robotsAllow(robotsUrl: string, text: string, url: string): Promise<boolean> {
  // The package's types declare a different module format.
  const loaded: unknown = (await import("robots-parser")).default;
  if (typeof loaded !== "function") throw new TypeError("robots-parser has no default export.");
  const robots: Robots = loaded(robotsUrl, text);
  return robots.isAllowed(url, "Googlebot") ?? true;
}
