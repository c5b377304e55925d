/** Characters of a meta description: a page of results shows all of it and has no room left. */
export const DESCRIPTION_CHARS = { min: 121, max: 156 } as const;
