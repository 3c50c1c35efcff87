/** The registers of a program as variables, for programs without debug data. */
import { type Declarations, type IoDeclaration, indexableTempsOf } from '../engine/index.ts'
import { type RegisterFileName, registerFile } from '../isa/index.ts'
import type { Piece, SourceVariable } from './model.ts'
import { type SourceType, vectorType, WORD_BYTES } from './type.ts'

const REGISTER_BYTES = 16
const FLOAT4 = vectorType('float', 4)

const arrayOf = (element: SourceType, count: number): SourceType => ({
  kind: 'array',
  element,
  count,
  stride: REGISTER_BYTES,
  byteLength: REGISTER_BYTES * count,
})

function variable(name: string, type: SourceType, pieces: readonly Piece[]): SourceVariable {
  return { name, path: name, kind: 'register', type, byteOffset: 0, home: { kind: 'pieces', pieces }, frame: 0 }
}

function pieceOf(file: RegisterFileName, indices: readonly number[], element = 0, count = 1): Piece {
  const place = { kind: 'register', file, indices, component: 0 } as const
  return { byteOffset: element * REGISTER_BYTES, byteLength: count * REGISTER_BYTES, place }
}

/** `mask`: the components that all declarations of the register have together. */
function ioVariable(io: IoDeclaration, mask: number): SourceVariable[] {
  const file = registerFile(io.file)
  if (file === undefined || file.class === 'name') return []
  const hasNumber = file.indices[1] > 0
  const name = hasNumber ? `${file.prefix}${io.register}` : file.prefix
  const own = hasNumber ? [io.register] : []
  if (io.vertexCount === 0) {
    const count = 32 - Math.clz32(mask & 0xf)
    const piece = { ...pieceOf(file.name, own), byteLength: count * WORD_BYTES }
    return [variable(name, vectorType(file.componentType ?? 'float', count), [piece])]
  }
  const pieces = Array.from({ length: io.vertexCount }, (_, v) => pieceOf(file.name, [v, ...own], v))
  return [variable(name, arrayOf(FLOAT4, io.vertexCount), pieces)]
}

/** Inputs, outputs and temporary registers that a program declares; those of the entry that a statement belongs to. */
export function registerVariables(d: Declarations, statement: number): readonly SourceVariable[] {
  const entry = d.entries.find((e) => statement >= e.first && statement < e.end) ?? d.entries[0]
  const known = new Set<string>()
  const declared = [...(entry?.inputs ?? []), ...(entry?.outputs ?? [])]
  const maskOf = ({ file, register }: IoDeclaration): number =>
    declared.reduce((mask, o) => (o.file === file && o.register === register ? mask | o.mask : mask), 0)
  const own = declared.flatMap((o) => ioVariable(o, maskOf(o)))
  const io = own.filter((v) => {
    const isNew = !known.has(v.name)
    known.add(v.name)
    return isNew
  })
  const temps = Array.from({ length: d.tempCount }, (_, r) => variable(`r${r}`, FLOAT4, [pieceOf('temp', [r])]))
  const arrays = (entry === undefined ? d.indexableTemps : indexableTempsOf(d, entry)).map(({ register, count }) => {
    return variable(`x${register}`, arrayOf(FLOAT4, count), [pieceOf('indexable-temp', [register, 0], 0, count)])
  })
  return [...io, ...temps, ...arrays]
}
