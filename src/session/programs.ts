/** The shaders of a session, with their sources. */
import { statementLister } from '../asm/index.ts'
import { DiagnosticCollector, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import {
  type DxbcContainer,
  decodeSignature,
  findChunk,
  isSignatureFourcc,
  type Reflection,
  reflect,
  type SignatureElement,
} from '../dxbc/index.ts'
import type { Declarations, LoadedShader } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import { printSlot } from '../machine/index.ts'
import { shaderIn } from '../shader/index.ts'
import { listingMap, registerVariables, sourceOf } from '../source/index.ts'
import { databaseBeside, type ShaderPlace, withOwnSources } from './beside.ts'
import type { DebuggedProgram } from './run.ts'

function slotNamesOf(reflection: Reflection | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const r of reflection?.resources ?? []) {
    const register = r.register === 'cb' ? 'b' : r.register
    if (register !== 't' && register !== 'u' && register !== 'b') continue
    names.set(printSlot({ register, index: r.slot, space: r.space }), r.name)
  }
  return names
}

function elementsOf(container: DxbcContainer, names: readonly string[]): readonly SignatureElement[] {
  for (const name of names) {
    const chunk = findChunk(container, name)
    if (chunk === undefined || !isSignatureFourcc(chunk.fourcc)) continue
    return decodeSignature(chunk.data, chunk.fourcc).value?.elements ?? []
  }
  return []
}

const COMPONENTS = 'xyzw'

/** `TEXCOORD0`, or `COLOR0 xyz, FOG0 w` where a register has several elements. */
function semanticText(elements: readonly SignatureElement[], register: number): string | undefined {
  const own = elements.filter((e) => e.register === register)
  const nameOf = (e: SignatureElement): string => {
    const isOne = e.semanticIndex === 0 && elements.filter((o) => o.name === e.name).length === 1
    return isOne ? e.name : `${e.name}${e.semanticIndex}`
  }
  if (own.length <= 1) return own[0] && nameOf(own[0])
  const maskText = (mask: number): string => [...COMPONENTS].filter((_, c) => (mask & (1 << c)) !== 0).join('')
  return own.map((e) => `${nameOf(e)} ${maskText(e.mask)}`).join(', ')
}

/** Semantics of input and output registers by their names in the listing: `v1`, `vicp0`, `o2`. */
function semanticsOf(container: DxbcContainer, { entries }: Declarations): DebuggedProgram['semanticOf'] {
  const [inputs, outputs, constants] = [
    elementsOf(container, ['ISGN', 'ISG1']),
    elementsOf(container, ['OSGN', 'OSG5', 'OSG1']),
    elementsOf(container, ['PCSG', 'PSG1']),
  ]
  return (name, statement) => {
    const m = /^(v|vicp|vocp|vpc|o)(\d+)$/.exec(name)
    if (m === null) return undefined
    const entry = entries.find((e) => statement >= e.first && statement < e.end)
    const isPhase = entry?.kind === 'fork' || entry?.kind === 'join'
    const register = Number(m[2])
    if (m[1] === 'vpc') return semanticText(constants, register)
    if (m[1] === 'o') return semanticText(isPhase ? constants : outputs, register)
    return semanticText(m[1] === 'vocp' ? outputs : inputs, register)
  }
}

/** A shader with its source, from its debug data, from a PDB that is found, or from the listing. */
export async function debuggedProgram(
  container: DxbcContainer,
  { declarations }: LoadedShader,
  operations: ValueOps<number>,
  place: ShaderPlace,
  stage?: string,
): Promise<Outcome<DebuggedProgram>> {
  const shader = shaderIn(container)
  if (shader.value === undefined) return failure(shader.diagnostics)
  const { program } = shader.value
  const found = new DiagnosticCollector()
  found.pushAll(shader.diagnostics)
  const database = await databaseBeside(shader.value, place, found)
  const read = sourceOf(shader.value, database && { database })
  found.pushAll(read.diagnostics)
  const { map, diagnostics } = withOwnSources(read.value, place)
  found.pushAll(diagnostics)
  const reflection = reflect(container).value
  const value: DebuggedProgram = {
    stage,
    program,
    declarations,
    map,
    listingMap: map.origin === 'listing' ? map : listingMap(program, reflection, declarations),
    operations,
    listing: statementLister(program),
    registers: (statement) => registerVariables(declarations, statement),
    slotNames: slotNamesOf(reflection),
    semanticOf: semanticsOf(container, declarations),
  }
  // What is wrong with debug data leaves the listing: it is no reason to refuse.
  const all = found.finish().map((d) => (d.severity === 'error' ? { ...d, severity: 'warning' as const } : d))
  return outcomeOf(value, all)
}
