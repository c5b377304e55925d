// The hostile customer, in a process of its own that is started with the lowest priority: {attack, urls, key, seconds, state} as JSON.
import { attacks } from "./attacks.mjs";

const { attack, ...how } = JSON.parse(process.argv[2]);
console.log(JSON.stringify(await attacks[attack].attack(how)));
process.exit(0);
