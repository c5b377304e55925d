// The hostile customer, in a process of its own that yields to the others of this machine: {attack, urls, key, seconds, state} as JSON.
import { setPriority } from "node:os";

import { attacks } from "./attacks.mjs";

setPriority(19);
const { attack, ...how } = JSON.parse(process.argv[2]);
console.log(JSON.stringify(await attacks[attack].attack(how)));
process.exit(0);
