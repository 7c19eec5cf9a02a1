export { BUGS, drawPair } from "./bugs.js";
export { flowOf } from "./flow.js";
export { plainerTraits, wordsOf } from "./traits.js";
export { accusationsOf, exploreShop, isAccused, reasonOfMiss } from "./trial.js";
