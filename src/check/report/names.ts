import { largest } from '../../diagnostic/index.ts'
import type { DebugInfo, Reflection, ReflectionMember } from '../../dxbc/index.ts'
import type { Declarations } from '../../engine/index.ts'
import { registerText } from '../detectors/bounds.ts'
import type { MemoryPlace } from './finding.ts'

/** Places in memory as people name them, from declarations and reflection. */

const SCALAR_BYTES: Readonly<Record<string, number>> = { double: 8, min16float: 4, min16int: 4, min16uint: 4 }
const SHAPE = /^(?:(row_major|column_major) )?((?:min\d+(?:_\d+)?)?[a-z]+)(\d)?(?:x(\d))?$/i

/** Bytes of a scalar, vector or matrix in a structured buffer, where nothing is padded; 0 for what is none. */
function plainByteLength(type: string): {
  byteLength: number
  scalar: number
  rows: number
  columns: number
  rowMajor: boolean
} {
  const m = SHAPE.exec(type)
  if (m === null) return { byteLength: 0, scalar: 4, rows: 1, columns: 1, rowMajor: false }
  const scalar = SCALAR_BYTES[m[2]!] ?? 4
  const rows = m[4] === undefined ? 1 : Number(m[3])
  const columns = Number(m[4] ?? m[3] ?? 1)
  return { byteLength: scalar * rows * columns, scalar, rows, columns, rowMajor: m[1] === 'row_major' }
}

function memberByteLength(m: ReflectionMember): number {
  const one =
    m.members === undefined
      ? plainByteLength(m.type).byteLength
      : largest(
          0,
          m.members.map((x) => x.byteOffset + memberByteLength(x)),
        )
  return one * (m.elements ?? 1)
}

/** The path below a member to a byte: `[2].position.y`. */
function pathInside(m: ReflectionMember, byteOffset: number, depth: number): string {
  if (depth > 16) return ''
  const one = memberByteLength(m) / (m.elements ?? 1)
  let inside = byteOffset
  let text = ''
  if (m.elements !== undefined && one > 0) {
    text += `[${Math.floor(inside / one)}]`
    inside %= one
  }
  if (m.members !== undefined) {
    const inner = m.members.findLast((x) => x.byteOffset <= inside)
    return inner === undefined
      ? text
      : `${text}.${inner.name}${pathInside(inner, inside - inner.byteOffset, depth + 1)}`
  }
  const { scalar, rows, columns, rowMajor } = plainByteLength(m.type)
  const n = Math.floor(inside / scalar)
  if (rows > 1) {
    const [row, column] = rowMajor ? [Math.floor(n / columns), n % columns] : [n % rows, Math.floor(n / rows)]
    return `${text}._m${row}${column}`
  }
  return columns > 1 ? `${text}.${'xyzw'[n] ?? n}` : text
}

/** The resource of the reflection that a register names, and the index in its array. */
function resourceOf(reflection: Reflection | undefined, d: Declarations, place: MemoryPlace) {
  const letter = place.space === 'srv' ? 't' : 'u'
  const declared = (letter === 't' ? d.resources : d.uavs).find((r) => r.id === place.register)
  const slot = declared?.first ?? place.register
  const space = declared?.space ?? 0
  return reflection?.resources.find(
    (r) => r.register === letter && r.space === space && slot >= r.slot && slot < r.slot + Math.max(1, r.count ?? 1),
  )
}

function viewText(place: MemoryPlace, d: Declarations, reflection: Reflection | undefined): string {
  const register = registerText(place.space, place.register, d)
  const resource = resourceOf(reflection, d, place)
  const name = resource === undefined ? register : resource.name
  const where = resource === undefined ? '' : ` (${register})`
  if (place.texel !== undefined) return `${name} texel (${place.texel.join(', ')})${where}`
  if (place.byteOffset === undefined) return `${name}${where}`
  const inView = place.byteOffset - (place.viewByteOffset ?? 0)
  if (place.stride === undefined || place.stride === 0) return `${name} byte ${inView}${where}`
  const element = Math.floor(inView / place.stride)
  const inside = inView - element * place.stride
  const field = resource?.element === undefined ? '' : pathInside({ ...resource.element, byteOffset: 0 }, inside, 0)
  if (field !== '') return `${name}[${element}]${field}${where}`
  return place.stride === 4 || inside === 0
    ? `${name}[${element}]${where}`
    : `${name}[${element}] byte ${inside}${where}`
}

/** `tile[3] byte 8 (g0)`, `particles[12].position.y (u0)`, `output texel (3, 4) (u1)`. */
export function placeText(
  place: MemoryPlace,
  d: Declarations,
  reflection: Reflection | undefined,
  debug?: DebugInfo,
): string {
  if (place.space === 'uav' || place.space === 'srv' || place.space === 'counter') return viewText(place, d, reflection)
  const register = registerText(place.space, place.register, d)
  if (place.space === 'other') return `r${place.register}`
  if (place.space !== 'tgsm') return register
  const name = debug?.groupshared?.find((v) => v.register === place.register)?.name
  return name === undefined ? tgsmText(place, d, register) : `${tgsmText(place, d, name)} (${register})`
}

/** `g0[3] byte 8`; `name` is the register's, or the variable's. */
function tgsmText(place: MemoryPlace, d: Declarations, name: string): string {
  if (place.byteOffset === undefined) return name
  const declared = d.tgsm.find((t) => t.register === place.register)
  if (declared === undefined || declared.stride === 0) return `${name} byte ${place.byteOffset}`
  const element = Math.floor(place.byteOffset / declared.stride)
  const inside = place.byteOffset - element * declared.stride
  return declared.stride === 4 ? `${name}[${element}]` : `${name}[${element}] byte ${inside}`
}
