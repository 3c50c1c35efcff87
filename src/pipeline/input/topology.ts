import { diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { PrimitiveTopology } from '../state.ts'

/** A topology taken apart: what its primitives are and how vertices make them. */
export interface Topology {
  readonly name: PrimitiveTopology
  readonly kind: 'point' | 'line' | 'triangle' | 'patch'
  /** A strip shares vertices between primitives; a list does not. */
  readonly isStrip: boolean
  readonly hasAdjacency: boolean
  /** Vertices of one primitive, adjacent ones included. */
  readonly vertexCount: number
}

const topology = (
  name: PrimitiveTopology,
  kind: Topology['kind'],
  isStrip: boolean,
  hasAdjacency: boolean,
  vertexCount: number,
): Topology => ({ name, kind, isStrip, hasAdjacency, vertexCount })

const NAMED: readonly Topology[] = [
  topology('POINTLIST', 'point', false, false, 1),
  topology('LINELIST', 'line', false, false, 2),
  topology('LINESTRIP', 'line', true, false, 2),
  topology('TRIANGLELIST', 'triangle', false, false, 3),
  topology('TRIANGLESTRIP', 'triangle', true, false, 3),
  topology('LINELIST_ADJ', 'line', false, true, 4),
  topology('LINESTRIP_ADJ', 'line', true, true, 4),
  topology('TRIANGLELIST_ADJ', 'triangle', false, true, 6),
  topology('TRIANGLESTRIP_ADJ', 'triangle', true, true, 6),
]

const MAX_CONTROL_POINTS = 32

/** Control points of a patch list's name; undefined for another name. */
function patchSize(name: string): number | undefined {
  const match = /^([1-9]\d?)_CONTROL_POINT_PATCHLIST$/.exec(name)
  const count = match === null ? 0 : Number(match[1])
  return count >= 1 && count <= MAX_CONTROL_POINTS ? count : undefined
}

/** The topology of a name, with or without `D3D11_PRIMITIVE_TOPOLOGY_`. */
export function topologyOf(given: string): Outcome<Topology> {
  const name = given.replace(/^(D3D(11)?_PRIMITIVE_TOPOLOGY_)/, '')
  const known = NAMED.find((t) => t.name === name)
  if (known !== undefined) return outcomeOf(known)
  const size = patchSize(name)
  if (size !== undefined) {
    return outcomeOf(topology(name as PrimitiveTopology, 'patch', false, false, size))
  }
  const names = [
    ...NAMED.map((t) => t.name),
    `1_CONTROL_POINT_PATCHLIST to ${MAX_CONTROL_POINTS}_CONTROL_POINT_PATCHLIST`,
  ]
  const text = `there is no topology ${JSON.stringify(given)}; there are ${names.join(', ')}`
  return failure([diagnostic('pipeline-state', text, { kind: 'path', path: 'topology' })])
}
