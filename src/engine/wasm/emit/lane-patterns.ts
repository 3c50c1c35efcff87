import type { Facts } from '../../ir/index.ts'

/**
 * Whether the first lane of a value with such a pattern has 0 in every wave: with more, the lane with the most would be beyond what is known
 * of the value.
 */
export function startsAtZero(facts: Facts, pattern: Int32Array): boolean {
  return pattern.every((p) => p >= 0) && pattern.includes(facts.maybe)
}
