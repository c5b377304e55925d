/** Decisions about reviews of one group of ratings. */
export interface Band {
  readonly decided: number;
  readonly rejected: number;
}

export interface Suppression {
  readonly rate_low: number | null;
  readonly rate_high: number | null;
  /** How many times more likely a low rating is to be rejected. */
  readonly ratio: number | null;
  /** Pooled two-proportion test. */
  readonly z: number | null;
  readonly flagged: boolean;
}

const BAND_MIN = 20;
const Z_MIN = 1.645;
const RATIO_MIN = 1.5;

/**
 * Whether low ratings (1–2 stars) are rejected significantly more often than high ones (4–5). Both groups need
 * at least 20 decisions.
 */
export function judgeSuppression(low: Band, high: Band): Suppression {
  const rateLow = rate(low);
  const rateHigh = rate(high);
  if (rateLow === null || rateHigh === null) {
    return { rate_low: round(rateLow), rate_high: round(rateHigh), ratio: null, z: null, flagged: false };
  }
  const ratio =
    rateHigh === 0
      ? (low.rejected + 0.5) / (low.decided + 1) / (0.5 / (high.decided + 1))
      : rateLow / rateHigh;
  const pooled = (low.rejected + high.rejected) / (low.decided + high.decided);
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / low.decided + 1 / high.decided));
  const z = spread === 0 ? 0 : (rateLow - rateHigh) / spread;
  const isEnough = low.decided >= BAND_MIN && high.decided >= BAND_MIN;
  return {
    rate_low: round(rateLow),
    rate_high: round(rateHigh),
    ratio: round(ratio),
    z: round(z),
    flagged: isEnough && z > Z_MIN && ratio > RATIO_MIN,
  };
}

const rate = ({ decided, rejected }: Band): number | null => (decided === 0 ? null : rejected / decided);

function round(value: number): number;
function round(value: number | null): number | null;
function round(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000;
}
