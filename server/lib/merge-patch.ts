/**
 * A merge patch (RFC 7386) on a flat resource: members of the patch replace those of the document. A member that may
 * be removed is nullable in the schema, so that null says so.
 */
export const mergePatch = <T extends object>(
  current: T,
  patch: { readonly [K in keyof T]?: T[K] | undefined },
): T => Object.assign({}, current, patch);
