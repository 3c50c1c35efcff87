import type { ClassInstances, Declarations } from '../../src/engine/index.ts'

/** The first class that each interface pointer may point to, at the head of the first constant buffers. */
export function classInstancesOf(d: Declarations): ClassInstances {
  const instances: Record<string, { table: number; constantBuffer: number }> = {}
  for (const i of d.interfaces) {
    for (let n = 0; n < Math.max(1, i.arrayLength); n++) {
      instances[`fp${i.interface}[${n}]`] = {
        table: i.tables[n % i.tables.length] ?? 0,
        constantBuffer: d.constantBuffers[0]?.id ?? 0,
      }
    }
  }
  return instances
}
