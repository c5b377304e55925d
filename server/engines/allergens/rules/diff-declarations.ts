import type { Declaration } from "../schema/declaration.ts";

export interface DeclarationDiff {
  readonly added: Declaration[];
  readonly removed: Declaration[];
  readonly changed: { readonly code: string; readonly before: Declaration; readonly after: Declaration }[];
}

/** What one set of declarations changes about another: presence, source, amount and origins count. */
export function diffDeclarations(
  before: readonly Declaration[],
  after: readonly Declaration[],
): DeclarationDiff {
  const old = new Map(before.map((declaration) => [declaration.code, declaration]));
  const next = new Map(after.map((declaration) => [declaration.code, declaration]));
  return {
    added: after.filter(({ code }) => !old.has(code)),
    removed: before.filter(({ code }) => !next.has(code)),
    changed: after.flatMap((declaration) => {
      const earlier = old.get(declaration.code);
      if (earlier === undefined || signature(earlier) === signature(declaration)) return [];
      return [{ code: declaration.code, before: earlier, after: declaration }];
    }),
  };
}

const signature = ({
  presence,
  source,
  concentration_mg_per_kg: amount,
  derived_from: from,
}: Declaration): string =>
  JSON.stringify([
    presence,
    source,
    amount,
    from.map(({ line_id: id, exemption }) => `${id} ${exemption ?? ""}`).sort(),
  ]);
