import { openHostile } from "../attack/attacks.mjs";
import { openShop, work } from "../attack/honest.mjs";
import { startPlatform } from "../attack/parts.mjs";

const SECONDS = 20;
const PLANS = [
  { id: "free", requestsPerMinute: 60 },
  { id: "growth", requestsPerMinute: 60_000 },
];

/** How long a page of a quiet customer waits for its check: alone, and next to a customer with twenty slow URLs. */
export async function benchFair() {
  const platform = await startPlatform("fs", { plans: PLANS, slowMs: 8_000 });
  try {
    const shop = await openShop(platform, "quiet");
    await work(platform, shop, 2);
    const alone = await work(platform, shop, SECONDS);
    await openHostile(platform, "urls");
    const beside = await work(platform, shop, SECONDS);
    const seconds = ({ waits }) => waits.map((ms) => ms / 1_000);
    const p99 = (result) => Math.max(...seconds(result));
    return [
      {
        title: "Wait of a quiet customer's page for its check by a job",
        unit: "s",
        rows: [
          { name: "alone", values: seconds(alone) },
          {
            name: "next to 20 slow URLs of another",
            values: seconds(beside),
            ratios: { "p99 alone": p99(beside) / p99(alone) },
          },
        ],
        notes: ["The goal is a p99 of at most 2 × that alone. The job looks for work every 5 s."],
      },
    ];
  } finally {
    await platform.stop();
  }
}
