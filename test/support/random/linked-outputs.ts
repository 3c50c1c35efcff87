import type { Random } from './random.ts'

/** What stages of a draw put out for those after them: the place of a vertex, distances, slices, tessellation factors. */

/** System values beside the position, in registers of their own. */
export type SystemOutput = 'clip' | 'cull' | 'slice' | 'viewport'
const SYSTEM: Readonly<Record<SystemOutput, readonly [register: string, value: string]>> = {
  clip: ['o5.xyzw', 'clip_distance'],
  cull: ['o6.xy', 'cull_distance'],
  slice: ['o7.x', 'rendertarget_array_index'],
  viewport: ['o7.y', 'viewport_array_index'],
}

export const systemDeclarations = (system: readonly SystemOutput[]): string[] =>
  system.map((name) => `dcl_output_siv ${SYSTEM[name].join(', ')}`)

/** Planes through the picture for distances, low numbers for indices; `place` is the position, `number` an integer. */
export function systemLines(r: Random, system: readonly SystemOutput[], place: string, number: string): string[] {
  const position = place.replace(/\.xyzw$/, '')
  const plane = (): string => ((r.below(9) - 4) / 4).toFixed(2)
  const factor = number.includes('.') ? number.replace(/\.(.).*/, '.$1$1$1$1') : number
  const lines: Readonly<Record<SystemOutput, () => string>> = {
    clip: () => `mad o5.xyzw, ${position}.xyzw, l(${plane()}, ${plane()}, ${plane()}, 0.5), ${position}.wwww`,
    cull: () => `mad o6.xy, ${position}.xyxx, l(${plane()}, ${plane()}, 0.0, 0.0), ${position}.wwww`,
    slice: () => `and o7.x, ${factor}, l(${r.pick([1, 3])})`,
    viewport: () => `and o7.y, ${factor}, l(${r.pick([1, 3])})`,
  }
  return system.map((name) => lines[name]())
}

export interface PatchShape {
  readonly inputPoints: number
  readonly outputPoints: number
  readonly domain: 'tri' | 'quad' | 'isoline'
  readonly partitioning: 'integer' | 'pow2' | 'fractional_odd' | 'fractional_even'
  readonly outputPrimitive: 'point' | 'line' | 'triangle_cw' | 'triangle_ccw'
  readonly maxFactor?: string
}

export const tessellatorDeclarations = (p: PatchShape): string[] => [
  `dcl_tessellator_domain domain_${p.domain}`,
  `dcl_tessellator_partitioning partitioning_${p.partitioning}`,
  `dcl_tessellator_output_primitive output_${p.outputPrimitive}`,
  ...(p.maxFactor === undefined ? [] : [`dcl_hs_max_tessfactor l(${p.maxFactor})`]),
]

const FACTORS = {
  tri: ['TriUeq0Edge', 'TriVeq0Edge', 'TriWeq0Edge', 'TriInside'],
  quad: ['QuadUeq0Edge', 'QuadVeq0Edge', 'QuadUeq1Edge', 'QuadVeq1Edge', 'QuadUInside', 'QuadVInside'],
  isoline: ['LineDetail', 'LineDensity'],
} as const

/** A fork phase that writes the factors from register `first` on: small numbers that the words of control points choose. */
export function factorPhase(r: Random, { inputPoints, domain }: PatchShape, first: number): string[] {
  const names = FACTORS[domain]
  // Factors of 0 and below leave patches out.
  const base = r.pick(['0.4', '1.0', '1.0', '1.5', '-0.3'])
  const step = r.pick(['0.2', '0.3', '0.5'])
  const factor = (n: number): string[] => [
    `imul null, r0.x, vicp[${r.below(inputPoints)}][${r.below(2)}].${r.pick(['x', 'y'])}, l(0x9e3779b1)`,
    'ushr r0.x, r0.x, l(28)',
    'utof r0.x, r0.x',
    `mad o${first + n}.x, r0.x, l(${step}), l(${base})`,
  ]
  return [
    'hs_fork_phase',
    ...[0, 1].map((n) => `dcl_input vicp[${inputPoints}][${n}].xyzw`),
    ...names.map((name, n) => `dcl_output_siv o${first + n}.x, final${name}TessFactor`),
    'dcl_temps 1',
    ...names.flatMap((_, n) => factor(n)),
    'ret',
  ]
}

/** The place of a domain point between the first control points, into a register. */
export function domainPlace(domain: PatchShape['domain'], points: number, register: string): string[] {
  const point = (n: number): string => `vicp[${Math.min(n, points - 1)}][0].xyzw`
  const to = `${register}.xyzw`
  if (domain === 'tri') {
    return [
      `mul ${to}, ${point(0)}, vDomain.xxxx`,
      `mad ${to}, ${point(1)}, vDomain.yyyy, ${to}`,
      `mad ${to}, ${point(2)}, vDomain.zzzz, ${to}`,
    ]
  }
  // Along u, then along v: points 0, 1 and 3, 2 are opposite edges.
  return [
    `add ${to}, ${point(1)}, -${point(0)}`,
    `mad ${to}, ${to}, vDomain.xxxx, ${point(0)}`,
    `add r8.xyzw, ${point(2)}, -${point(1)}`,
    `mad ${to}, r8.xyzw, vDomain.yyyy, ${to}`,
  ]
}
