/** The 97.5 % quantile of the normal distribution: two-sided 95 %. */
const Z = 1.959964;

/**
 * Wilson's score interval for a proportion (95 %); nothing seen is `[0, 0]`. The lower bound
 * orders by votes, the pair is served with every share.
 */
export function wilson(successes: number, trials: number): { lower: number; upper: number } {
  if (trials === 0) return { lower: 0, upper: 0 };
  const share = successes / trials;
  const centre = share + (Z * Z) / (2 * trials);
  const reach = Z * Math.sqrt((share * (1 - share)) / trials + (Z * Z) / (4 * trials * trials));
  const scale = 1 + (Z * Z) / trials;
  // The bounds of 0 and 1 are exact; arithmetic alone would miss them by an epsilon.
  return {
    lower: successes === 0 ? 0 : (centre - reach) / scale,
    upper: successes === trials ? 1 : (centre + reach) / scale,
  };
}
