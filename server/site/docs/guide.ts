/** A page of the documentation, in Markdown. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** One sentence for lists and for search. */
  readonly summary: string;
  /** `baseUrl` has no slash at the end. */
  readonly markdown: (baseUrl: string) => string;
}
